//! The Terraform target: what it writes, what it says it does not write, and what the real terraform makes of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use aipc::base::diagnostic::{Diagnostics, Severity};
use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::target::files::Files;
use aipc::target::template::Templates;

/// Two sites at AWS, one of them with training, and what neither has.
const CLOUDS: &str = r#"
platform cloudy { owner = "Tom & \"Ann\"", stage = poc, currency = USD }
model m { base = catalog.model.llama-3-1-70b, precision = bf16 }
training t {
  model    = model.m
  runs_on  = pool.train
  gpus     = 32
  tokens   = 1 billion tok
  sequence = 8_192 tok
  batch    = 4_014_080 tok
  tenant   = tenant.a
}
tenant a { cost_center = "4711" }
site one { provider = aws, country = SE, region = "eu-north-1" }
site two { provider = aws, country = US, region = "us-east-1", zones = 3 }
site three { provider = gcp, country = US, region = "us-east1" }
network one { site = site.one, cidr = "10.80.0.0/16" }
network two { site = site.two, cidr = "10.81.0.0/17" }
pool train { site = site.one, instance = catalog.instance.p5-48xlarge, nodes = 4, purchase = spot }
pool serve { site = site.two, instance = catalog.instance.p5-48xlarge, nodes = 1..4, purchase = reserved }
pool lone { site = site.two, instance = catalog.instance.m7i-2xlarge, nodes = 1 }
cluster north { scheduler = kubernetes, version = "1.35", pools = [pool.train], control = managed }
cluster east { scheduler = kubernetes, version = "1.35", pools = [pool.serve], control = managed }
storage a { tier = cold, site = site.one, kind = s3, capacity = 1 TB, key = key.vault, encryption = at-rest }
storage b { tier = cold, site = site.one, kind = s3, capacity = 1 TB, key = key.found, encryption = at-rest, versioning = false }
storage c { tier = cold, site = site.one, kind = s3, capacity = 1 TB, key = key.made, encryption = at-rest, immutable = 36 h }
storage hot { tier = hot, site = site.one, kind = lustre, capacity = 10 TB, key = key.made, encryption = at-rest }
key vault { from = vault("x/y") }
key found { from = kms("arn:aws:kms:eu-north-1:111122223333:key/aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee") }
key made { from = kms("alias/cloudy"), rotate = 30 days }
security s { egress = allow }
"#;

/// A room with some nodes.
const ROOM: &str = r#"
platform room { owner = "a@b.example", currency = EUR }
site hall { provider = on-prem, country = DE, title = "TITLE" }
pool gpu { site = site.hall, server = catalog.server.dgx-h200, nodes = NODES }
"#;

fn emit(text: &str) -> (Files, Diagnostics) {
    let package = compile::parse(vec![(String::from("main.aip"), text.to_string())], &[]);
    let catalogue = Catalogue::new();
    let options = Options::default();
    let compiled = compile::check(&package, &options, &catalogue);
    let plan = compiled.plan.as_ref();
    let plan = plan.unwrap_or_else(|| panic!("no plan: {:#?}", compiled.problems.iter().collect::<Vec<_>>()));
    compile::emit(plan, compiled.judged(), &[String::from("terraform")], &Templates::shipped())
}

fn text(files: &Files, path: &str) -> String {
    let file = files.get(path).unwrap_or_else(|| panic!("{path} is not among {:?}", paths(files)));
    String::from_utf8(file.bytes.clone()).expect("HCL is UTF-8")
}

fn paths(files: &Files) -> Vec<&str> {
    files.iter().map(|(path, _)| path).collect()
}

fn room(title: &str, nodes: u64) -> Files {
    emit(&ROOM.replace("TITLE", title).replace("NODES", &nodes.to_string())).0
}

/// Writes files into a fresh folder of the build.
fn lay_down(name: &str, files: &Files) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    for (path, file) in files.iter() {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder of the build");
        fs::write(path, &file.bytes).expect("a file of the build");
    }
    folder
}

/// Says that a tool is missing; where tools are required that is a failure.
#[allow(clippy::print_stdout, reason = "the gate looks for skipped checks in what tests print")]
fn skip(why: &str) {
    assert!(std::env::var_os("AIPC_REQUIRE_TOOLS").is_none(), "{why}");
    println!("skipped: {why}");
}

/// Lets the conformance check judge all layers.
fn judge(name: &str, files: &Files) {
    let folder = lay_down(name, files).join("terraform");
    let python = std::env::var("AIPC_PYTHON").unwrap_or_else(|_| String::from("python3"));
    let done = Command::new(python).arg("tests/conformance/terraform_check.py").arg(folder).output();
    match done {
        Ok(done) if done.status.code() == Some(77) => skip(&said(&done)),
        Ok(done) => assert!(done.status.success(), "{name}\n{}", said(&done)),
        Err(why) => skip(&format!("no python: {why}")),
    }
}

fn said(done: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr))
}

#[test]
fn terraform_takes_the_examples() {
    for example in ["aurora", "clinic-chat", "superpod"] {
        let source = fs::read_to_string(format!("examples/{example}/main.aip")).expect("an example");
        judge(&format!("terraform-{example}"), &emit(&source).0);
    }
}

#[test]
fn terraform_takes_two_clouds() {
    judge("terraform-clouds", &emit(CLOUDS).0);
}

#[test]
fn hostile_text_comes_out_of_terraform_unchanged() {
    let title = "${x} $${y} %{if} %%{z} \" \\ $ % ' # // \u{e9} \u{1F680} {{ x }} {% y %}";
    let source = title.replace('\\', "\\\\").replace('"', "\\\"").replace("${", "$${");
    let folder = lay_down("terraform-hostile", &room(&source, 1)).join("terraform/netbox");
    for file in ["netbox.tf", "outputs.tf", "variables.tf", "versions.tf"] {
        fs::remove_file(folder.join(file)).expect("a file of the layer");
    }
    fs::write(folder.join("zz.tf"), "output \"sites\" {\n  value = local.sites\n}\n").expect("a file of the build");
    let run = |arguments: &[&str]| Command::new("terraform").args(arguments).current_dir(&folder).output();
    if let Err(why) = run(&["version"]) {
        return skip(&format!("no terraform: {why}"));
    }
    for arguments in [&["init", "-no-color"] as &[&str], &["apply", "-no-color", "-auto-approve"]] {
        let done = run(arguments).expect("terraform runs");
        assert!(done.status.success(), "{}", said(&done));
    }
    let done = run(&["output", "-json", "sites"]).expect("terraform runs");
    let sites: serde_json::Value = serde_json::from_slice(&done.stdout).expect("terraform writes JSON");
    assert_eq!(sites["hall"]["description"], title);
}

#[test]
fn another_node_takes_no_name_away() {
    let names = |files: &Files| -> Vec<String> {
        let inventory = text(files, "terraform/netbox/inventory.tf");
        let rows = inventory.lines().filter(|line| line.contains("role = "));
        rows.map(|line| line.trim().split(' ').next().unwrap_or_default().to_string()).collect()
    };
    let (few, many) = (names(&room("t", 9)), names(&room("t", 10)));
    assert_eq!((few.len(), many.len()), (9, 10));
    assert!(few.iter().all(|name| many.contains(name)), "{few:?} {many:?}");
}

#[test]
fn limits_are_said() {
    let (_, problems) = emit(CLOUDS);
    let said: Vec<String> = problems.iter().map(|problem| problem.message.clone()).collect();
    for address in ["site.three", "pool.lone", "storage.hot", "key.vault"] {
        assert!(
            said.iter().any(|line| line.starts_with(&format!("`{address}` is not in Terraform"))),
            "{address}: {said:#?}"
        );
    }
    assert!(said.iter().any(|line| line.starts_with("`key.made`: KMS changes a key")), "{said:#?}");
    assert_eq!(said.iter().filter(|line| line.starts_with("AWS takes no tag")).count(), 1, "{said:#?}");
}

#[test]
fn a_cloud_site_needs_its_region() {
    let (files, problems) = emit(&CLOUDS.replace(", region = \"us-east-1\"", ""));
    assert!(problems.iter().any(|problem| problem.severity == Severity::Error && problem.code.0 == 6022));
    assert!(paths(&files).iter().all(|path| !path.contains("aws-two")), "{:?}", paths(&files));
}

#[test]
fn a_network_is_private_unless_the_source_opens_it() {
    let network = |source: &str| text(&emit(source).0, "terraform/aws-one/network.tf");
    assert!(network(CLOUDS).contains("aws_nat_gateway"));
    for closed in ["egress = deny", "air_gap = true"] {
        let written = network(&CLOUDS.replace("egress = allow", closed));
        assert!(!written.contains("aws_nat_gateway") && !written.contains("0.0.0.0/0"), "{closed}");
    }
}

#[test]
fn data_of_the_source_reach_the_layer() {
    let (files, _) = emit(CLOUDS);
    let one = text(&files, "terraform/aws-one/locals.tf");
    for wanted in
        ["lock_days  = 2\n", "efa_interfaces  = 32", "capacity_type   = \"SPOT\"", "\"cost-center\" = \"4711\""]
    {
        assert!(one.contains(wanted), "{wanted} is not in\n{one}");
    }
    let two = text(&files, "terraform/aws-two/locals.tf");
    for wanted in ["reserved        = true", "min_size        = 1", "max_size        = 4"] {
        assert!(two.contains(wanted), "{wanted} is not in\n{two}");
    }
}

#[test]
fn lines_lead_to_addresses() {
    let (files, _) = emit(CLOUDS);
    let file = files.get("terraform/aws-one/locals.tf").expect("the layer has locals");
    let addresses: Vec<&str> = file.lines.iter().map(|(_, address)| address.as_str()).collect();
    assert!(
        ["pool.train", "cluster.north", "storage.c"].iter().all(|wanted| addresses.contains(wanted)),
        "{addresses:?}"
    );
}
