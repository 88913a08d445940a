// The page of `bvtree view`.

const data = JSON.parse(byId("data").textContent);
const canvas = byId("view");

byId("title").textContent = data.title;
byId("summary").append(...data.summary.map(([text, emphasis]) => (emphasis ? element("span", { class: emphasis }, text) : text)));
canvas.setAttribute("aria-label", `3D view of ${data.title}`);

const viewer = createViewer(canvas, data.palette);
if (viewer) {
  const controls = createControls(byId("controls"), byId("status"), viewer, data.start);
  controls.show(decodeScene(data.scene));
  byId("home").addEventListener("click", viewer.resetCamera);
  themeButton(byId("theme"), viewer.redraw);
} else {
  canvas.replaceWith(element("p", { class: "notice" }, "This browser shows no 3D here: WebGL 2 is missing or switched off."));
  byId("hint").remove();
  byId("home").remove();
  themeButton(byId("theme"), () => {});
}
