// A headless Chromium, driven through a pair of pipes (Chrome DevTools Protocol, `--remote-debugging-pipe`), and a server of
// static files for it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, extname, join, normalize } from "node:path";

const USUAL = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".obj": "text/plain" };

export function chromiumProgram() {
  if (process.env.BVTREE_CHROMIUM) return process.env.BVTREE_CHROMIUM;
  const places = (process.env.PATH ?? "").split(delimiter).flatMap((folder) => USUAL.map((name) => join(folder, name)));
  return places.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

// Files of a folder, at a port of this machine.
export async function serve(folder) {
  const holds = new Set();
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    for (const { end, met, passed } of holds) {
      if (!path.endsWith(end)) continue;
      met.resolve();
      await passed.promise;
    }
    try {
      const body = readFileSync(join(folder, path.endsWith("/") ? `${path}index.html` : path));
      response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "text/html" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `http://127.0.0.1:${server.address().port}/`,
    close: () => server.close(),
    // Keeps files whose path ends so back until `release()`; `met` is done once one was asked for.
    hold(end) {
      const held = { end, met: promised(), passed: promised() };
      holds.add(held);
      const release = () => holds.delete(held) && held.passed.resolve();
      return { met: held.met.promise, release };
    },
  };
}

function promised() {
  const made = {};
  made.promise = new Promise((resolve) => Object.assign(made, { resolve }));
  return made;
}

export class Chromium {
  static async start(program) {
    const browser = new Chromium();
    browser.profile = mkdtempSync(join(tmpdir(), "bvtree-chromium-"));
    const flags = ["--headless", "--no-sandbox", "--remote-debugging-pipe", "--hide-scrollbars", "--no-first-run", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage", `--user-data-dir=${browser.profile}`];
    browser.process = spawn(program, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    browser.waiting = new Map();
    browser.events = [];
    browser.lastId = 0;
    let rest = "";
    browser.process.stdio[4].setEncoding("utf8").on("data", (text) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      messages.forEach((message) => browser.#take(JSON.parse(message)));
    });
    const { targetId } = await browser.ask("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await browser.ask("Target.attachToTarget", { targetId, flatten: true });
    browser.session = sessionId;
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await browser.ask(`${domain}.enable`);
    return browser;
  }

  #take(message) {
    if (message.id === undefined) return this.events.push(message);
    const { done, failed } = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    return message.error ? failed(new Error(message.error.message)) : done(message.result);
  }

  ask(method, params = {}) {
    const id = ++this.lastId;
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed });
      this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: this.session })}\0`);
    });
  }

  async open(url, [width, height]) {
    await this.ask("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
    await this.ask("Page.navigate", { url: "about:blank" });
    this.events.length = 0;
    await this.ask("Page.navigate", { url });
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.ask("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true, userGesture: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
    return result.value;
  }

  // Until an expression is true, or throws what the page complains of.
  async until(expression, seconds = 120) {
    const end = Date.now() + 1000 * seconds;
    while (!(await this.evaluate(`Boolean(${expression})`).catch(() => false))) {
      if (Date.now() > end) throw new Error(`not within ${seconds} s: ${expression}; ${this.complaints().join("; ")}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  frames = (count) => this.evaluate(`new Promise((done) => { let left = ${count}; const frame = () => (left-- > 0 ? requestAnimationFrame(frame) : done()); frame(); })`);

  mouse = (type, [x, y], more = {}) => this.ask("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: 1, clickCount: 1, ...more });

  async click(at) {
    for (const type of ["mousePressed", "mouseReleased"]) await this.mouse(type, at);
    await this.frames(3);
  }

  key = (type, code, more = {}) => this.ask("Input.dispatchKeyEvent", { type, code, key: code, ...more });

  async drag(from, to, steps, more) {
    await this.mouse("mousePressed", from, more);
    for (let i = 1; i <= steps; i++) await this.mouse("mouseMoved", from.map((x, k) => x + ((to[k] - x) * i) / steps), more);
    await this.mouse("mouseReleased", to, more);
    await this.frames(4);
  }

  // Red, green and blue of the page at some places.
  async colours(places) {
    const png = (await this.picture()).toString("base64");
    return this.evaluate(`(async () => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob("${png}"), (x) => x.charCodeAt(0))]));
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      return ${JSON.stringify(places)}.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3));
    })()`);
  }

  async picture() {
    return Buffer.from((await this.ask("Page.captureScreenshot", { format: "png" })).data, "base64");
  }

  // Errors and warnings, exceptions, and whatever was asked of another place than this one.
  complaints(address = "") {
    const is = ({ method, params }) => {
      if (method === "Runtime.exceptionThrown" || method === "Log.entryAdded") return true;
      if (method === "Runtime.consoleAPICalled") return ["error", "warning", "assert"].includes(params.type);
      return method === "Network.requestWillBeSent" && !params.request.url.startsWith(address) && !/^(data|blob|about):/.test(params.request.url);
    };
    return this.events.filter(is).map((event) => JSON.stringify(event));
  }

  async stop() {
    const ended = once(this.process, "exit");
    this.process.stdio[3].write(`${JSON.stringify({ id: ++this.lastId, method: "Browser.close" })}\0`);
    this.waiting.set(this.lastId, { done() {}, failed() {} });
    const timer = setTimeout(() => this.process.kill("SIGKILL"), 5000);
    await ended;
    clearTimeout(timer);
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
