"""Terraform providers that are only their schema.

`Providers` serves each schema file (the form of `terraform providers schema -json`) as a provider over plugin
protocol 6 and gives the value of TF_REATTACH_PROVIDERS that makes terraform use it. Terraform itself then finds
unknown or missing arguments, wrong types, wrong block counts and unknown resource types, just as with the real
provider. A schema of our own may also list the allowed `values` of an attribute; other rules that live in provider
code are not seen.

The messages of the protocol are described below as a table and built at run time: one line a message, each field
`name:type=number`, `*` for a repeated one.
"""
import concurrent.futures
import hashlib
import json
import os
from pathlib import Path

import grpc
import msgpack
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

MESSAGES = """
Dynamic        msgpack:bytes=1 json:bytes=2
Diagnostic     severity:int32=1 summary:string=2 detail:string=3
Attribute      name:string=1 type:bytes=2 required:bool=4 optional:bool=5 computed:bool=6 sensitive:bool=7 nested_type:Object=10 write_only:bool=11
Object         attributes:Attribute*=1 nesting:int32=3
NestedBlock    type_name:string=1 block:Block=2 nesting:int32=3 min_items:int64=4 max_items:int64=5
Block          attributes:Attribute*=2 block_types:NestedBlock*=3
Schema         version:int64=1 block:Block=2
NamedSchema    key:string=1 value:Schema=2
Schemas        provider:Schema=1 resource_schemas:NamedSchema*=2 data_source_schemas:NamedSchema*=3
Config         type_name:string=1 config:Dynamic=2
Diagnosed      diagnostics:Diagnostic*=1
RawState       json:bytes=1
Upgrade        type_name:string=1 raw_state:RawState=3
Upgraded       state:Dynamic=1
Read           type_name:string=1 state:Dynamic=2
Plan           type_name:string=1 proposed:Dynamic=3
Apply          type_name:string=1 planned:Dynamic=3
State          state:Dynamic=1
Nothing        unused:bool=99
"""
SCALARS = {"bytes": 12, "string": 9, "bool": 8, "int32": 5, "int64": 3}
MESSAGE, OPTIONAL, REPEATED = 11, 1, 3
NESTING = {"single": 1, "list": 2, "set": 3, "map": 4, "group": 5}
UNKNOWN = msgpack.ExtType(0, b"\0")


def build_messages():
    """Message classes by name, from the table."""
    file = descriptor_pb2.FileDescriptorProto(name="tfplugin6.proto", package="tfplugin6", syntax="proto3")
    for line in MESSAGES.strip().splitlines():
        name, *fields = line.split()
        message = file.message_type.add(name=name)
        for field in fields:
            label, _, rest = field.partition(":")
            kind, _, number = rest.partition("=")
            row = message.field.add(name=label, number=int(number), label=REPEATED if kind.endswith("*") else OPTIONAL)
            kind = kind.rstrip("*")
            row.type = SCALARS.get(kind, MESSAGE)
            if kind not in SCALARS:
                row.type_name = f".tfplugin6.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {m.name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"tfplugin6.{m.name}")) for m in file.message_type}


M = build_messages()


def attribute_message(name, attribute):
    flags = {flag: attribute.get(flag, False) for flag in ("required", "optional", "computed", "sensitive", "write_only")}
    if "nested_type" in attribute:
        nested = attribute["nested_type"]
        inner = [attribute_message(n, a) for n, a in sorted(nested["attributes"].items())]
        return M["Attribute"](name=name, nested_type=M["Object"](attributes=inner, nesting=NESTING[nested["nesting_mode"]]), **flags)
    return M["Attribute"](name=name, type=json.dumps(attribute["type"]).encode(), **flags)


def block_message(block):
    blocks = [
        M["NestedBlock"](
            type_name=name, block=block_message(inner["block"]), nesting=NESTING[inner["nesting_mode"]],
            min_items=inner.get("min_items", 0), max_items=inner.get("max_items", 0),
        )
        for name, inner in sorted(block.get("block_types", {}).items())
    ]
    attributes = [attribute_message(n, a) for n, a in sorted(block.get("attributes", {}).items())]
    return M["Block"](attributes=attributes, block_types=blocks)


def schema_message(schema):
    return M["Schema"](version=schema.get("version", 0), block=block_message(schema["block"]))


def decode(dynamic):
    if dynamic.msgpack:
        return msgpack.unpackb(dynamic.msgpack, strict_map_key=False)
    return json.loads(dynamic.json)


def encode(value):
    return M["Dynamic"](msgpack=msgpack.packb(value))


def walk(block, value, visit):
    """Call visit(attribute schema, name, holder) for every attribute of a value and of its nested blocks."""
    if not isinstance(value, dict):
        return
    for name, attribute in block.get("attributes", {}).items():
        visit(attribute, name, value)
    for name, inner in block.get("block_types", {}).items():
        held = value.get(name)
        many = held if isinstance(held, list) else [held]
        if inner["nesting_mode"] == "map" and isinstance(held, dict):
            many = held.values()
        for each in many:
            walk(inner["block"], each, visit)


def invented(kind, name, seed):
    """A plausible value of a cty type, the same for the same seed."""
    if kind == "string":
        if "json" in name or name in ("policy", "assume_role_policy"):
            return "{}"
        if any(word in name for word in ("cert", "key", "secret", "token", "pem", "data", "kube_config")):
            return "bW9jaw=="  # also valid base64
        if name == "id":  # numeric, since some providers feed it to a number
            return str(int(hashlib.sha256(seed.encode()).hexdigest()[:6], 16))
        return f"mock-{name.replace('_', '-')}-{hashlib.sha256(seed.encode()).hexdigest()[:6]}"
    if kind == "number":
        return 1
    if kind == "bool":
        return False
    if kind == "dynamic":
        return [b'"string"', "mock"]
    shape, inner = kind[0], kind[1]
    if shape == "object":
        return {n: invented(t, n, seed + n) for n, t in inner.items()}
    if shape == "map":
        return {}
    if shape == "tuple":
        return [invented(t, name, f"{seed}{i}") for i, t in enumerate(inner)]
    count = 3 if inner == "string" else 1  # three zones, three subnets
    return [invented(inner, name, f"{seed}{i}") for i in range(count)]


class Mock:
    """One provider: what terraform asks, answered from the schema alone."""

    def __init__(self, schema):
        self.schema = schema

    def block(self, type_name, kind="resource_schemas"):
        return self.schema[kind][type_name]["block"]

    def schemas(self, _request):
        def rows(kind):
            return [M["NamedSchema"](key=name, value=schema_message(s)) for name, s in self.schema.get(kind, {}).items()]

        return M["Schemas"](
            provider=schema_message(self.schema["provider"]),
            resource_schemas=rows("resource_schemas"), data_source_schemas=rows("data_source_schemas"),
        )

    def validate(self, request):
        """Only `values` of our own schemas; terraform has checked the rest."""
        wrong = []

        def visit(attribute, name, holder):
            value = holder.get(name)
            if isinstance(value, str) and value not in attribute.get("values", [value]):
                wrong.append(f"{request.type_name}: {name} is {value!r}, allowed are {', '.join(attribute['values'])}")

        walk(self.block(request.type_name), decode(request.config), visit)
        return M["Diagnosed"](diagnostics=[M["Diagnostic"](severity=1, summary="Value not allowed", detail=text) for text in wrong])

    def fine(self, _request):
        return M["Nothing"]()

    def upgrade(self, request):
        return M["Upgraded"](state=M["Dynamic"](json=request.raw_state.json))

    def read(self, request):
        return M["State"](state=request.state)

    def plan(self, request):
        """Computed attributes that nobody set become unknown."""
        value = decode(request.proposed)

        def visit(attribute, name, holder):
            if holder.get(name) is None and attribute.get("computed"):
                holder[name] = UNKNOWN

        walk(self.block(request.type_name), value, visit)
        return M["State"](state=encode(value))

    def settle(self, block, value, seed):
        """What was unknown, or computed and unset, gets an invented value; a write-only one is never kept."""

        def visit(attribute, name, holder):
            unset = holder.get(name) is None and attribute.get("computed")
            if isinstance(holder.get(name), msgpack.ExtType) or unset:
                holder[name] = invented(attribute["type"], name, seed + name) if "type" in attribute else None
            if attribute.get("write_only"):
                holder[name] = None

        walk(block, value, visit)
        return M["State"](state=encode(value))

    def apply(self, request):
        return self.settle(self.block(request.type_name), decode(request.planned), request.planned.msgpack.hex())

    def read_data(self, request):
        return self.settle(self.block(request.type_name, "data_source_schemas"), decode(request.config), request.config.msgpack.hex())

    def handler(self):
        """The gRPC service; a method that is missing here is not asked by the terraform we run."""
        calls = {
            "GetProviderSchema": (self.schemas, "Nothing"),
            "ValidateProviderConfig": (self.fine, "Nothing"),
            "ValidateResourceConfig": (self.validate, "Config"),
            "ValidateDataResourceConfig": (self.fine, "Nothing"),
            "ConfigureProvider": (self.fine, "Nothing"),
            "StopProvider": (self.fine, "Nothing"),
            "UpgradeResourceState": (self.upgrade, "Upgrade"),
            "ReadResource": (self.read, "Read"),
            "PlanResourceChange": (self.plan, "Plan"),
            "ApplyResourceChange": (self.apply, "Apply"),
            "ReadDataSource": (self.read_data, "Config"),
        }
        methods = {
            name: grpc.unary_unary_rpc_method_handler(
                lambda request, _context, call=call: call(request),
                request_deserializer=M[kind].FromString,
                response_serializer=lambda answer: answer.SerializeToString(),
            )
            for name, (call, kind) in calls.items()
        }
        return grpc.method_handlers_generic_handler("tfplugin6.Provider", methods)


def merged(documents):
    """The documents, later ones of a provider adding resources to its first."""
    kept, first = [], {}
    for document in documents:
        for address, schema in list(document["provider_schemas"].items()):
            if address in first:
                more = document["provider_schemas"].pop(address)
                for kind in ("resource_schemas", "data_source_schemas"):
                    first[address].setdefault(kind, {}).update(more.get(kind, {}))
            else:
                first[address] = schema
        kept.append(document)
    return kept


class Providers:
    """All mock providers, listening while the `with` block lasts."""

    def __init__(self, files, folder):
        self.folder, self.servers, self.addresses, self.versions = Path(folder), [], {}, {}
        self.documents = merged(json.loads(Path(file).read_text()) for file in files)

    def __enter__(self):
        for document in self.documents:
            for address, schema in document["provider_schemas"].items():
                socket = self.folder / f"{len(self.servers)}.sock"
                unlimited = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]
                server = grpc.server(concurrent.futures.ThreadPoolExecutor(8), options=unlimited)
                server.add_generic_rpc_handlers((Mock(schema).handler(),))
                server.add_insecure_port(f"unix:{socket}")
                server.start()
                self.servers.append(server)
                self.versions[address] = document.get("provider_version", "")
                self.addresses[address] = {
                    "Protocol": "grpc", "ProtocolVersion": 6, "Pid": os.getpid(), "Test": True,
                    "Addr": {"Network": "unix", "String": str(socket)},
                }
        return self

    def reattach(self):
        return json.dumps(self.addresses)

    def __exit__(self, *_):
        for server in self.servers:
            server.stop(None)
