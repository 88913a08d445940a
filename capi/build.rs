//! Sets the shared library's soname, by which programs find it: the binary interface may change with each minor
//! version.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let version = |part| std::env::var(format!("CARGO_PKG_VERSION_{part}")).unwrap_or_default();
    let (major, minor) = (version("MAJOR"), version("MINOR"));
    match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux" | "freebsd" | "netbsd" | "openbsd" | "android") => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libbvtree.so.{major}.{minor}");
        }
        Ok("macos" | "ios") => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libbvtree.{major}.{minor}.dylib");
        }
        _ => {}
    }
}
