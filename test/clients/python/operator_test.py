"""An operator written with kopf: handlers for creation, change and deletion, a field, a timer, status, finalizers, peering off."""

import pathlib
import time

import kopf
import yaml
from kopf.testing import KopfRunner
from kubernetes import client, config

CRD = pathlib.Path(__file__).parent.parent / "helm" / "chart" / "crds" / "crd.yaml"
LIMIT = 90
PLACE = {"group": "shop.example", "version": "v1", "namespace": "default", "plural": "offers"}


@kopf.on.create("shop.example", "v1", "offers")
def created(spec, name, namespace, patch, **_):
    body = {"metadata": {"name": f"{name}-copy"}, "data": {"price": str(spec["price"])}}
    kopf.adopt(body)
    client.CoreV1Api().create_namespaced_config_map(namespace, body)
    patch.metadata.annotations["made"] = "yes"


@kopf.on.field("shop.example", "v1", "offers", field="spec.price")
def priced(old, new, name, namespace, **_):
    if old is not None:
        client.CoreV1Api().patch_namespaced_config_map(f"{name}-copy", namespace, {"data": {"price": str(new)}})


@kopf.on.delete("shop.example", "v1", "offers")
def deleted(name, namespace, **_):
    client.CoreV1Api().create_namespaced_config_map(namespace, {"metadata": {"name": f"{name}-gone"}})


def eventually(what, condition):
    end = time.monotonic() + LIMIT
    while True:
        try:
            if condition():
                return
        except client.exceptions.ApiException as e:
            if e.status != 404:
                raise
        assert time.monotonic() < end, what
        time.sleep(0.1)


def main():
    config.load_kube_config()
    core, custom, definitions = client.CoreV1Api(), client.CustomObjectsApi(), client.ApiextensionsV1Api()
    definitions.create_custom_resource_definition(yaml.safe_load(CRD.read_text()))
    copy = lambda: core.read_namespaced_config_map("o-copy", "default")
    offer = lambda: custom.get_namespaced_custom_object(**PLACE, name="o")
    with KopfRunner(["run", "--all-namespaces", "--standalone", __file__], timeout=LIMIT) as runner:
        body = {"apiVersion": "shop.example/v1", "kind": "Offer", "metadata": {"name": "o"}, "spec": {"price": 1}}
        eventually("the definition is served", lambda: custom.create_namespaced_custom_object(**PLACE, body=body))
        eventually("the handler of the creation", lambda: copy().data["price"] == "1")
        eventually("the annotation", lambda: offer()["metadata"]["annotations"].get("made") == "yes")
        assert offer()["metadata"]["finalizers"] == ["kopf.zalando.org/KopfFinalizerMarker"], offer()
        owner = copy().metadata.owner_references[0]
        assert owner.uid == offer()["metadata"]["uid"] and owner.controller, owner
        custom.patch_namespaced_custom_object(**PLACE, name="o", body={"spec": {"price": 2}})
        eventually("the handler of the field", lambda: copy().data["price"] == "2")
        custom.delete_namespaced_custom_object(**PLACE, name="o")
        eventually("the handler of the deletion", lambda: core.read_namespaced_config_map("o-gone", "default"))
        names = lambda: [o.metadata.name for o in core.list_namespaced_config_map("default").items]
        eventually("the garbage collector deletes what the offer owned", lambda: "o-copy" not in names())
    assert runner.exception is None and runner.exit_code == 0, runner.stdout
    print("kopf: passed")


if __name__ == "__main__":
    main()
