use bvtree::query::DepthOptions;
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query};
use nalgebra::{Matrix3, Vector3};
use std::collections::BTreeMap;
use std::time::Instant;
fn main() {
    let folder = "/work/shared/dataset";
    for pair in std::env::args().skip(1) {
        let (a, b) = pair.split_once('+').unwrap();
        let trees = [a, b].map(|name| {
            let mesh = Mesh::load_obj(format!("{folder}/meshes/{name}.obj")).unwrap();
            BvTree::build(&mesh, &BuildOptions::default()).unwrap()
        });
        println!("{a} {b} {:?}", trees.each_ref().map(|t| t.watertightness()));
        let poses = std::fs::read_to_string(format!("{folder}/poses/{a}-{b}.csv")).unwrap();
        let mut query = Query::new();
        let mut rows: BTreeMap<String, Vec<[f64; 6]>> = BTreeMap::new();
        for line in poses.lines().filter(|l| !l.starts_with('#')) {
            let fields: Vec<&str> = line.split(',').collect();
            let n: Vec<f64> = fields[3..].iter().map(|f| f.parse().unwrap()).collect();
            let pose = Pose::new(Matrix3::from_fn(|i, j| n[4 * i + j]), Vector3::from_fn(|i, _| n[4 * i + 3])).unwrap();
            let options = DepthOptions { relative_tolerance: 0.05, time_limit: Some(std::time::Duration::from_millis(std::env::var("MS").map_or(200, |s| s.parse().unwrap()))), ..Default::default() };
            let mut best = [f64::INFINITY; 2];
            let mut out = None;
            let mut pairs = 0;
            for _ in 0..1 {
                let t = Instant::now();
                pairs = query.count_pairs(&trees[0], &trees[1], &pose);
                best[0] = best[0].min(t.elapsed().as_secs_f64());
                let t = Instant::now();
                match query.penetration_depth(&trees[0], &trees[1], &pose, &options) {
                    Ok(d) => out = Some(d),
                    Err(e) => {
                        println!("{e}");
                        break;
                    }
                }
                best[1] = best[1].min(t.elapsed().as_secs_f64());
            }
            let Some(out) = out else { break };
            if std::env::var("V").is_ok() {
                println!(
                    "{} pairs {pairs} {:.1}us {:.1}us {:?} {:?}",
                    fields[2],
                    best[0] * 1e6,
                    best[1] * 1e6,
                    out,
                    query.stats()
                );
            }
            let bad = f64::from(u8::from(out.upper > 1.0501 * out.lower + 1e-9));
            rows.entry(fields[2].into()).or_default().push([
                best[0],
                best[1],
                bad,
                out.upper,
                query.stats().triangle_tests as f64,
                pairs as f64,
            ]);
        }
        for (label, rows) in rows {
            let n = rows.len() as f64;
            let mut times: Vec<f64> = rows.iter().map(|r| r[1]).collect(); times.sort_by(f64::total_cmp); println!("   median {:.2} ms p95 {:.2} ms", times[times.len() / 2] * 1e3, times[times.len() * 95 / 100] * 1e3); let mean = |k: usize| rows.iter().map(|r| r[k]).sum::<f64>() / n;
            println!(
                "{label:12} n {n} pairs {:8.1}us depth {:9.1}us ratio {:.1} bad {} upper {:.4} tests {:.0} pairs {:.0}",
                mean(0) * 1e6,
                mean(1) * 1e6,
                mean(1) / mean(0),
                mean(2) * n,
                mean(3),
                mean(4),
                mean(5)
            );
        }
    }
}
