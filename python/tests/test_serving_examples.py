"""The files of examples/serving and the tables of docs/guide/serving.md match the server's source, and tools accept them."""
import importlib.util
import itertools
import json
import re
import shutil
import subprocess

import pytest

from conftest import CHECKOUT

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
EXAMPLES = CHECKOUT / "examples/serving"
SOURCES = CHECKOUT / "Sources"
GUIDE = (CHECKOUT / "docs/guide/serving.md").read_text()
IMAGE = "coreml-runtime:local"
YAML = sorted(path for path in EXAMPLES.rglob("*.y*ml"))


def documents(path):
    return list(yaml.safe_load_all(path.read_text()))


def source(*folders):
    """The text of all Swift files of some modules."""
    files = [file for folder in folders for file in sorted((SOURCES / folder).rglob("*.swift"))]
    assert files, f"there is no source of {folders}"
    return "\n".join(file.read_text() for file in files)


def kebab(name):
    return "--" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


@pytest.fixture(scope="module")
def options():
    """The options of the server."""
    text = source("ServeCommand")
    found = {kebab(name) for name in re.findall(r"@(?:Option|Flag)\b.*?\bvar (\w+)", text, re.DOTALL)}
    assert {"--http-port", "--models", "--insecure"} <= found
    return found


@pytest.fixture(scope="module")
def metrics():
    """The metrics of the server: names with their types."""
    text = source("ServingProtocol", "ServingHTTP")
    found = {}
    for name, kind in re.findall(r'family\(\s*"(coreml_serving_\w+)",\s*"(\w+)"', text):
        found[name] = kind
    for name in re.findall(r'\bhistogram\("(?!coreml_)(\w+)"', text):
        found[f"coreml_serving_{name}"] = "histogram"
    for name, kind in re.findall(r'\bvalues\("(\w+)",\s*"(\w+)"', text):
        found[f"coreml_serving_{name}"] = kind
    assert "coreml_serving_request_seconds" in found and "coreml_serving_http_connections" in found
    return found


def section(title):
    """The text of a section of the guide, without its subsections."""
    return re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#|\Z)", GUIDE, re.MULTILINE | re.DOTALL).group(1)


def first_cells(title):
    return [line.split(" | ")[0].lstrip("| ") for line in section(title).splitlines() if re.match(r"\| (?!-)", line)]


# ---- the guide

def test_the_guide_has_all_options(options):
    told = {name for cell in first_cells("Options") for name in re.findall(r"--[a-z-]+", cell)}
    assert told == options
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", section("Limits") + section("Tune by symptoms"))) <= options


def test_the_guide_has_all_metrics(metrics):
    told = dict(re.findall(r"^\| `(coreml_serving_\w+)` \| (\w+) \|", section("Metrics"), re.MULTILINE))
    assert told == metrics


def test_the_guide_has_all_errors():
    codes = dict(re.findall(r'case (\w+) = "(serving\.[a-z-]+)"', source("ServingInterface")))
    statuses = dict(re.findall(r"case \.(\w+): (\d{3})", source("ServingProtocol")))
    grpc = dict(
        (name, code) for names, code in re.findall(r"case ((?:\.\w+(?:, )?)+): \.(\w+)", source("ServingGRPC"))
        for name in re.findall(r"\.(\w+)", names) if name in codes)
    told = re.findall(r"^\| `(serving\.[a-z-]+)` \| (\d{3}) \| ([A-Z_]+) \|", section("Errors"), re.MULTILINE)
    names = {"internalError": "INTERNAL"}
    assert sorted(told) == sorted(
        (code, statuses[name], names.get(grpc[name], re.sub(r"(?=[A-Z])", "_", grpc[name]).upper())) for name, code in codes.items())


def test_the_guide_has_all_methods_of_grpc():
    service = re.search(r"service GRPCInferenceService \{(.*?)^\}", next(SOURCES.rglob("inference.proto")).read_text(), re.DOTALL | re.MULTILINE)
    methods = set(re.findall(r"rpc (\w+)\s*\(", service.group(1)))
    assert len(methods) == 20
    assert {name for cell in first_cells("gRPC") for name in re.findall(r"`(\w+)`", cell)} == methods


def test_the_paths_of_the_guide_exist():
    words = set(re.findall(r'"([a-z0-9_]+)"', source("ServingProtocol/HTTP")))
    told = re.findall(r"`(/(?:v2|metrics)[^`]*)`", section("REST"))
    assert len(told) > 10
    for path in told:
        for word in path.strip("/").split("/"):
            assert word in words or word in ("M", "V"), path


# ---- options, images and times of the examples

def arguments():
    """(file, arguments of the server)."""
    for path in YAML:
        for document in documents(path):
            for container in containers(document):
                if container.get("image") == IMAGE and "args" in container:
                    yield path.name, container["args"]
    yield "compose.yaml", documents(EXAMPLES / "compose.yaml")[0]["services"]["server"]["command"]
    unit = (EXAMPLES / "runtime-serve.service").read_text()
    yield "runtime-serve.service", re.search(r"^ExecStart=\S+ (.*)", unit, re.MULTILINE).group(1).split()
    yield "Dockerfile", json.loads(re.search(r"^CMD (.*)", (EXAMPLES / "Dockerfile").read_text(), re.MULTILINE).group(1))


def containers(document):
    """The containers anywhere in a document."""
    if isinstance(document, dict):
        for name, value in document.items():
            if name in ("containers", "initContainers"):
                yield from value
            else:
                yield from containers(value)
    elif isinstance(document, list):
        for value in document:
            yield from containers(value)


def value(arguments, name):
    words = list(itertools.chain(*(argument.split("=", 1) for argument in arguments)))
    return words[words.index(name) + 1]


def test_options_exist(options):
    found = list(arguments())
    assert len(found) == 5
    for file, words in found:
        assert {word.split("=")[0] for word in words if word.startswith("--")} <= options, file


def test_there_is_one_name_of_the_image():
    images = {container["image"] for path in YAML for document in documents(path) for container in containers(document)}
    assert images == {IMAGE}
    assert documents(EXAMPLES / "compose.yaml")[0]["services"]["server"]["image"] == f"${{COREML_IMAGE:-{IMAGE}}}"
    assert IMAGE in (EXAMPLES / "README.md").read_text() and IMAGE in (EXAMPLES / "Dockerfile").read_text()


def test_there_is_time_to_drain():
    pod = documents(EXAMPLES / "kubernetes/deployment.yaml")[0]["spec"]["template"]["spec"]
    compose = documents(EXAMPLES / "compose.yaml")[0]["services"]["server"]
    unit = (EXAMPLES / "runtime-serve.service").read_text()
    predictor = documents(EXAMPLES / "kserve/service.yaml")[0]["spec"]["predictor"]
    limits = {
        "deployment.yaml": pod["terminationGracePeriodSeconds"], "runtime.yaml": predictor["terminationGracePeriodSeconds"],
        "compose.yaml": int(compose["stop_grace_period"].rstrip("s")),
        "runtime-serve.service": int(re.search(r"^TimeoutStopSec=(\d+)", unit, re.MULTILINE).group(1))}
    for file, words in arguments():
        if file in limits:
            assert int(value(words, "--lame-duck")) + int(value(words, "--grace")) < limits.pop(file)
    assert not limits
    for container in (pod["containers"][0], documents(EXAMPLES / "kserve/runtime.yaml")[0]["spec"]["containers"][0]):
        probe = container["readinessProbe"]
        assert probe["periodSeconds"] * probe["failureThreshold"] < int(value(container["args"], "--lame-duck"))
        assert probe["httpGet"]["path"] == "/v2/health/ready" and container["livenessProbe"]["httpGet"]["path"] == "/v2/health/live"


# ---- schemas

@pytest.mark.skipif(importlib.util.find_spec("kubernetes_validate") is None, reason="kubernetes-validate is not installed")
class TestKubernetes:
    @staticmethod
    def check(document):
        import kubernetes_validate

        kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)

    def test_files(self):
        kinds = []
        for path in sorted((EXAMPLES / "kubernetes").glob("*.yaml")):
            for document in documents(path):
                self.check(document)
                kinds.append(document["kind"])
        assert {"Deployment", "Service", "HorizontalPodAutoscaler", "PodDisruptionBudget", "NetworkPolicy"} == set(kinds)

    def test_a_wrong_field_is_found(self):
        document = documents(EXAMPLES / "kubernetes/deployment.yaml")[0]
        document["spec"]["template"]["spec"]["terminationGracePeriod"] = 1
        with pytest.raises(Exception, match="terminationGracePeriod"):
            self.check(document)

    def test_kserve(self):
        runtime, = documents(EXAMPLES / "kserve/runtime.yaml")
        service, = documents(EXAMPLES / "kserve/service.yaml")
        spec, predictor = runtime["spec"], service["spec"]["predictor"]
        # Both embed the specification of a pod.
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
        self.check({**pod, "spec": {"containers": spec["containers"], "volumes": spec["volumes"]}})
        self.check({**pod, "spec": {
            "containers": spec["containers"],
            **{name: each for name, each in predictor.items() if name not in ("model", "minReplicas", "maxReplicas")}}})
        assert spec["containers"][0]["name"] == "kserve-container"
        assert predictor["model"]["runtime"] == runtime["metadata"]["name"]
        assert predictor["model"]["modelFormat"]["name"] == spec["supportedModelFormats"][0]["name"]
        assert predictor["model"]["protocolVersion"] in spec["protocolVersions"]
        assert spec["annotations"]["prometheus.kserve.io/port"] == value(spec["containers"][0]["args"], "--http-port")


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing (Debian: systemd)")
def test_systemd(tmp_path):
    unit = tmp_path / "runtime-serve.service"
    unit.write_text((EXAMPLES / "runtime-serve.service").read_text().replace("/usr/local/bin/runtime-serve", "/bin/true"))
    assert run("systemd-analyze", "verify", unit).strip() == ""
    run("systemd-analyze", "security", "--offline=yes", "--threshold=20", unit)


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is missing (Debian: prometheus)")
class TestPrometheus:
    def test_files(self):
        folder = EXAMPLES / "prometheus"
        run("promtool", "check", "config", "prometheus.yml", cwd=folder)
        run("promtool", "test", "rules", "alerts-test.yml", cwd=folder)

    def test_queries_of_the_dashboard_and_the_guide(self, tmp_path):
        queries = [target["expr"] for panel in dashboard()["panels"] for target in panel["targets"]]
        queries = [re.sub(r"\$(job|model)", ".*", query).replace("$__rate_interval", "5m") for query in queries]
        queries += re.findall(r"`((?:sum|histogram_quantile)[^`]*)`", section("Metrics and logs"))
        assert len(queries) > 15
        rules = [{"record": f"q{number}", "expr": query} for number, query in enumerate(queries)]
        (tmp_path / "rules.yml").write_text(yaml.safe_dump({"groups": [{"name": "a", "rules": rules}]}))
        run("promtool", "check", "rules", tmp_path / "rules.yml")


# ---- metrics

def dashboard():
    return json.loads((EXAMPLES / "grafana/dashboard.json").read_text())


def known(metrics):
    ends = {"histogram": ("_bucket", "_sum", "_count"), "counter": ("",), "gauge": ("",)}
    return {name + end for name, kind in metrics.items() for end in ends[kind]}


def test_metrics_exist(metrics):
    texts = {path: path.read_text() for path in [*YAML, EXAMPLES / "grafana/dashboard.json"]}
    texts["guide"] = "\n".join(re.findall(r"`((?:sum|histogram_quantile)[^`]*)`", GUIDE))
    used = {name: path for path, text in texts.items() for name in re.findall(r"\bcoreml_serving_\w+", text)}
    assert len(used) > 8
    assert not {name: str(path) for name, path in used.items() if name not in known(metrics)}
    # Rules name codes of errors.
    codes = set(re.findall(r'"(serving\.[a-z-]+)"', source("ServingInterface")))
    assert {code for text in texts.values() for code in re.findall(r'code="(serving\.[a-z-]+)"', text)} <= codes


def test_the_dashboard():
    panels = dashboard()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y) for panel in panels for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])]
    assert len(set(cells)) == len(cells) and max(x for x, _ in cells) < 24
    variables = {variable["name"] for variable in dashboard()["templating"]["list"]}
    for panel in panels:
        for target in panel["targets"]:
            assert set(re.findall(r"\$(\w+)", target["expr"])) <= variables | {"__rate_interval"}


# ---- clients

def test_the_scripts_parse():
    run("bash", "-n", EXAMPLES / "clients/curl.sh")
    for path in EXAMPLES.glob("clients/*.py"):
        compile(path.read_text(), path.name, "exec")


@pytest.mark.skipif(shutil.which("node") is None, reason="node is missing (Debian: nodejs)")
def test_the_page_parses(tmp_path):
    script = re.search(r'<script type="module">(.*?)</script>', (EXAMPLES / "clients/fetch.html").read_text(), re.DOTALL).group(1)
    (tmp_path / "page.mjs").write_text(script)
    run("node", "--check", tmp_path / "page.mjs")
