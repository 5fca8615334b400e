"""The official Python client with the kubeconfig of $KUBECONFIG: typed and dynamic APIs, watches, patches, chunks, utilities."""

import datetime
import json
import pathlib
import tempfile
import threading
import time

import yaml
from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic.exceptions import ConflictError

CRD = pathlib.Path(__file__).parent.parent / "helm" / "chart" / "crds" / "crd.yaml"
LIMIT = 60


def config_map(name, **data):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name), data=data)


def typed(core):
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name="py")))
    for i in range(25):
        core.create_namespaced_config_map("py", config_map(f"c{i}", k="1"))
    page = core.list_namespaced_config_map("py", limit=10)
    names = [o.metadata.name for o in page.items]
    while page.metadata._continue:
        page = core.list_namespaced_config_map("py", limit=10, _continue=page.metadata._continue)
        names += [o.metadata.name for o in page.items]
    assert len([n for n in names if n.startswith("c")]) == 25, names
    patched = core.patch_namespaced_config_map("c0", "py", {"data": {"k": "2"}})
    assert patched.data == {"k": "2"}, patched.data
    patched = core.patch_namespaced_config_map("c0", "py", [{"op": "add", "path": "/data/l", "value": "x"}])
    assert patched.data == {"k": "2", "l": "x"}, patched.data
    stale = core.read_namespaced_config_map("c0", "py")
    core.replace_namespaced_config_map("c0", "py", stale)
    stale.data = {"k": "3"}
    core.replace_namespaced_config_map("c0", "py", stale)
    stale.metadata.resource_version = "1"
    try:
        core.replace_namespaced_config_map("c0", "py", stale)
        raise AssertionError("a stale replacement must fail")
    except ApiException as e:
        assert e.status == 409 and json.loads(e.body)["reason"] == "Conflict", e
    try:
        core.create_namespaced_config_map("py", config_map("Not Valid"))
        raise AssertionError("an invalid name must fail")
    except ApiException as e:
        assert e.status == 422 and json.loads(e.body)["details"]["causes"][0]["field"] == "metadata.name", e.body


def watching(core):
    version = core.list_namespaced_config_map("py").metadata.resource_version
    threading.Timer(0.2, lambda: core.create_namespaced_config_map("py", config_map("late"))).start()
    seen = []
    w = watch.Watch()
    for event in w.stream(core.list_namespaced_config_map, "py", resource_version=version, timeout_seconds=LIMIT):
        seen.append((event["type"], event["object"].metadata.name))
        if len(seen) == 1:
            core.delete_namespaced_config_map("late", "py")
        else:
            w.stop()
    assert seen == [("ADDED", "late"), ("DELETED", "late")], seen
    list(watch.Watch().stream(core.list_namespaced_config_map, "py", timeout_seconds=1))


def dynamically(api):
    d = dynamic.DynamicClient(api, cache_file=tempfile.mktemp())
    definitions = d.resources.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")
    definitions.create(body=yaml.safe_load(CRD.read_text()))
    end = time.monotonic() + LIMIT
    while True:
        try:
            d.resources.invalidate_cache()
            offers = d.resources.get(api_version="shop.example/v1", kind="Offer")
            break
        except dynamic.exceptions.ResourceNotFoundError:
            assert time.monotonic() < end, "the definition is not served"
            time.sleep(0.1)
    offer = {"apiVersion": "shop.example/v1", "kind": "Offer", "metadata": {"name": "o"}, "spec": {"price": 1}}
    offers.create(body=offer, namespace="py")
    try:
        offers.create(body=offer, namespace="py")
        raise AssertionError("a second creation must fail")
    except ConflictError:
        pass
    offer["spec"]["price"] = 2
    applied = offers.server_side_apply(body=offer, namespace="py", field_manager="py", force_conflicts=True)
    assert applied.spec.price == 2, applied
    offers.patch(body={"spec": {"price": 3}}, name="o", namespace="py", content_type="application/merge-patch+json")
    assert offers.get(name="o", namespace="py").spec.price == 3
    offers.delete(name="o", namespace="py")
    definitions.delete(name="offers.shop.example")


def other(api, core):
    utils.create_from_dict(api, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "py"}, "spec": {
        "selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}}})
    apps = client.AppsV1Api(api)
    assert apps.patch_namespaced_deployment_scale("web", "py", {"spec": {"replicas": 5}}).spec.replicas == 5
    assert apps.read_namespaced_deployment("web", "py").spec.replicas == 5
    token = core.create_namespaced_service_account_token("default", "py", client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[])))
    assert token.status.expiration_timestamp > datetime.datetime.now(datetime.timezone.utc)
    bearer = client.Configuration()
    bearer.host, bearer.ssl_ca_cert = api.configuration.host, api.configuration.ssl_ca_cert
    bearer.api_key = {"authorization": f"Bearer {token.status.token}"}
    try:
        client.CoreV1Api(client.ApiClient(bearer)).list_namespaced_secret("py")
        raise AssertionError("a service account may not list secrets")
    except ApiException as e:
        assert e.status == 403 and "system:serviceaccount:py:default" in e.body, e
    core.delete_namespace("py")
    end = time.monotonic() + LIMIT
    while "py" in [n.metadata.name for n in core.list_namespace().items]:
        assert time.monotonic() < end, "the namespace stays"
        time.sleep(0.1)


def main():
    config.load_kube_config()
    api = client.ApiClient()
    core = client.CoreV1Api(api)
    assert client.VersionApi(api).get_code().minor == "37"
    typed(core)
    watching(core)
    dynamically(api)
    other(api, core)
    print("python client: passed")


main()
