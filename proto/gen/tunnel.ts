// @ts-nocheck
// Made by proto/generate.mjs from tunnel.proto. Do not edit.
import $protobuf from "protobufjs/minimal.js";

const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;

const $root = $protobuf.roots["trireme-tunnel"] || ($protobuf.roots["trireme-tunnel"] = {});

export const trireme = $root.trireme = (() => {

    const trireme = {};

    trireme.tunnel = (function() {

        const tunnel = {};

        tunnel.PacketType = (function() {
            const valuesById = {}, values = Object.create(valuesById);
            values[valuesById[0] = "DIAL_REQ"] = 0;
            values[valuesById[1] = "DIAL_RSP"] = 1;
            values[valuesById[2] = "CLOSE_REQ"] = 2;
            values[valuesById[3] = "CLOSE_RSP"] = 3;
            values[valuesById[4] = "DATA"] = 4;
            values[valuesById[5] = "DIAL_CLS"] = 5;
            return values;
        })();

        tunnel.Packet = (function() {

            function Packet(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            Packet.prototype.type = 0;
            Packet.prototype.dialRequest = null;
            Packet.prototype.dialResponse = null;
            Packet.prototype.data = null;
            Packet.prototype.closeRequest = null;
            Packet.prototype.closeResponse = null;
            Packet.prototype.closeDial = null;

            let $oneOfFields;

            Object.defineProperty(Packet.prototype, "payload", {
                get: $util.oneOfGetter($oneOfFields = ["dialRequest", "dialResponse", "data", "closeRequest", "closeResponse", "closeDial"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            Packet.create = function create(properties) {
                return new Packet(properties);
            };

            Packet.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.type != null && Object.hasOwnProperty.call(message, "type"))
                    writer.uint32(8).int32(message.type);
                if (message.dialRequest != null && Object.hasOwnProperty.call(message, "dialRequest"))
                    $root.trireme.tunnel.DialRequest.encode(message.dialRequest, writer.uint32(18).fork(), q + 1).ldelim();
                if (message.dialResponse != null && Object.hasOwnProperty.call(message, "dialResponse"))
                    $root.trireme.tunnel.DialResponse.encode(message.dialResponse, writer.uint32(26).fork(), q + 1).ldelim();
                if (message.data != null && Object.hasOwnProperty.call(message, "data"))
                    $root.trireme.tunnel.Data.encode(message.data, writer.uint32(34).fork(), q + 1).ldelim();
                if (message.closeRequest != null && Object.hasOwnProperty.call(message, "closeRequest"))
                    $root.trireme.tunnel.CloseRequest.encode(message.closeRequest, writer.uint32(42).fork(), q + 1).ldelim();
                if (message.closeResponse != null && Object.hasOwnProperty.call(message, "closeResponse"))
                    $root.trireme.tunnel.CloseResponse.encode(message.closeResponse, writer.uint32(50).fork(), q + 1).ldelim();
                if (message.closeDial != null && Object.hasOwnProperty.call(message, "closeDial"))
                    $root.trireme.tunnel.CloseDial.encode(message.closeDial, writer.uint32(58).fork(), q + 1).ldelim();
                return writer;
            };

            Packet.decode = function decode(reader, length, error, long) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (long === undefined)
                    long = 0;
                if (long > $Reader.recursionLimit)
                    throw Error("maximum nesting depth exceeded");
                let end, message;
                if (length === undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = new $root.trireme.tunnel.Packet();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.type = reader.int32();
                            break;
                        }
                    case 2: {
                            message.dialRequest = $root.trireme.tunnel.DialRequest.decode(reader, reader.uint32(), undefined, long + 1);
                            break;
                        }
                    case 3: {
                            message.dialResponse = $root.trireme.tunnel.DialResponse.decode(reader, reader.uint32(), undefined, long + 1);
                            break;
                        }
                    case 4: {
                            message.data = $root.trireme.tunnel.Data.decode(reader, reader.uint32(), undefined, long + 1);
                            break;
                        }
                    case 5: {
                            message.closeRequest = $root.trireme.tunnel.CloseRequest.decode(reader, reader.uint32(), undefined, long + 1);
                            break;
                        }
                    case 6: {
                            message.closeResponse = $root.trireme.tunnel.CloseResponse.decode(reader, reader.uint32(), undefined, long + 1);
                            break;
                        }
                    case 7: {
                            message.closeDial = $root.trireme.tunnel.CloseDial.decode(reader, reader.uint32(), undefined, long + 1);
                            break;
                        }
                    default:
                        reader.skipType(tag & 7, long);
                        break;
                    }
                }
                if (length !== undefined) {
                    if (reader.pos !== end)
                        throw RangeError("index out of range");
                    reader.len = length;
                }
                return message;
            };

            return Packet;
        })();

        tunnel.DialRequest = (function() {

            function DialRequest(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            DialRequest.prototype.protocol = "";
            DialRequest.prototype.address = "";
            DialRequest.prototype.random = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            DialRequest.create = function create(properties) {
                return new DialRequest(properties);
            };

            DialRequest.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.protocol != null && Object.hasOwnProperty.call(message, "protocol"))
                    writer.uint32(10).string(message.protocol);
                if (message.address != null && Object.hasOwnProperty.call(message, "address"))
                    writer.uint32(18).string(message.address);
                if (message.random != null && Object.hasOwnProperty.call(message, "random"))
                    writer.uint32(24).int64(message.random);
                return writer;
            };

            DialRequest.decode = function decode(reader, length, error, long) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (long === undefined)
                    long = 0;
                if (long > $Reader.recursionLimit)
                    throw Error("maximum nesting depth exceeded");
                let end, message;
                if (length === undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = new $root.trireme.tunnel.DialRequest();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.protocol = reader.string();
                            break;
                        }
                    case 2: {
                            message.address = reader.string();
                            break;
                        }
                    case 3: {
                            message.random = reader.int64();
                            break;
                        }
                    default:
                        reader.skipType(tag & 7, long);
                        break;
                    }
                }
                if (length !== undefined) {
                    if (reader.pos !== end)
                        throw RangeError("index out of range");
                    reader.len = length;
                }
                return message;
            };

            return DialRequest;
        })();

        tunnel.DialResponse = (function() {

            function DialResponse(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            DialResponse.prototype.error = "";
            DialResponse.prototype.connectId = $util.Long ? $util.Long.fromBits(0,0,false) : 0;
            DialResponse.prototype.random = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            DialResponse.create = function create(properties) {
                return new DialResponse(properties);
            };

            DialResponse.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.error != null && Object.hasOwnProperty.call(message, "error"))
                    writer.uint32(10).string(message.error);
                if (message.connectId != null && Object.hasOwnProperty.call(message, "connectId"))
                    writer.uint32(16).int64(message.connectId);
                if (message.random != null && Object.hasOwnProperty.call(message, "random"))
                    writer.uint32(24).int64(message.random);
                return writer;
            };

            DialResponse.decode = function decode(reader, length, error, long) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (long === undefined)
                    long = 0;
                if (long > $Reader.recursionLimit)
                    throw Error("maximum nesting depth exceeded");
                let end, message;
                if (length === undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = new $root.trireme.tunnel.DialResponse();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.error = reader.string();
                            break;
                        }
                    case 2: {
                            message.connectId = reader.int64();
                            break;
                        }
                    case 3: {
                            message.random = reader.int64();
                            break;
                        }
                    default:
                        reader.skipType(tag & 7, long);
                        break;
                    }
                }
                if (length !== undefined) {
                    if (reader.pos !== end)
                        throw RangeError("index out of range");
                    reader.len = length;
                }
                return message;
            };

            return DialResponse;
        })();

        tunnel.CloseRequest = (function() {

            function CloseRequest(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            CloseRequest.prototype.connectId = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            CloseRequest.create = function create(properties) {
                return new CloseRequest(properties);
            };

            CloseRequest.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.connectId != null && Object.hasOwnProperty.call(message, "connectId"))
                    writer.uint32(8).int64(message.connectId);
                return writer;
            };

            CloseRequest.decode = function decode(reader, length, error, long) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (long === undefined)
                    long = 0;
                if (long > $Reader.recursionLimit)
                    throw Error("maximum nesting depth exceeded");
                let end, message;
                if (length === undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = new $root.trireme.tunnel.CloseRequest();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.connectId = reader.int64();
                            break;
                        }
                    default:
                        reader.skipType(tag & 7, long);
                        break;
                    }
                }
                if (length !== undefined) {
                    if (reader.pos !== end)
                        throw RangeError("index out of range");
                    reader.len = length;
                }
                return message;
            };

            return CloseRequest;
        })();

        tunnel.CloseResponse = (function() {

            function CloseResponse(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            CloseResponse.prototype.error = "";
            CloseResponse.prototype.connectId = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            CloseResponse.create = function create(properties) {
                return new CloseResponse(properties);
            };

            CloseResponse.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.error != null && Object.hasOwnProperty.call(message, "error"))
                    writer.uint32(10).string(message.error);
                if (message.connectId != null && Object.hasOwnProperty.call(message, "connectId"))
                    writer.uint32(16).int64(message.connectId);
                return writer;
            };

            CloseResponse.decode = function decode(reader, length, error, long) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (long === undefined)
                    long = 0;
                if (long > $Reader.recursionLimit)
                    throw Error("maximum nesting depth exceeded");
                let end, message;
                if (length === undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = new $root.trireme.tunnel.CloseResponse();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.error = reader.string();
                            break;
                        }
                    case 2: {
                            message.connectId = reader.int64();
                            break;
                        }
                    default:
                        reader.skipType(tag & 7, long);
                        break;
                    }
                }
                if (length !== undefined) {
                    if (reader.pos !== end)
                        throw RangeError("index out of range");
                    reader.len = length;
                }
                return message;
            };

            return CloseResponse;
        })();

        tunnel.CloseDial = (function() {

            function CloseDial(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            CloseDial.prototype.random = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            CloseDial.create = function create(properties) {
                return new CloseDial(properties);
            };

            CloseDial.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.random != null && Object.hasOwnProperty.call(message, "random"))
                    writer.uint32(8).int64(message.random);
                return writer;
            };

            CloseDial.decode = function decode(reader, length, error, long) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (long === undefined)
                    long = 0;
                if (long > $Reader.recursionLimit)
                    throw Error("maximum nesting depth exceeded");
                let end, message;
                if (length === undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = new $root.trireme.tunnel.CloseDial();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.random = reader.int64();
                            break;
                        }
                    default:
                        reader.skipType(tag & 7, long);
                        break;
                    }
                }
                if (length !== undefined) {
                    if (reader.pos !== end)
                        throw RangeError("index out of range");
                    reader.len = length;
                }
                return message;
            };

            return CloseDial;
        })();

        tunnel.Data = (function() {

            function Data(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            Data.prototype.connectId = $util.Long ? $util.Long.fromBits(0,0,false) : 0;
            Data.prototype.error = "";
            Data.prototype.data = $util.newBuffer([]);

            Data.create = function create(properties) {
                return new Data(properties);
            };

            Data.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.connectId != null && Object.hasOwnProperty.call(message, "connectId"))
                    writer.uint32(8).int64(message.connectId);
                if (message.error != null && Object.hasOwnProperty.call(message, "error"))
                    writer.uint32(18).string(message.error);
                if (message.data != null && Object.hasOwnProperty.call(message, "data"))
                    writer.uint32(26).bytes(message.data);
                return writer;
            };

            Data.decode = function decode(reader, length, error, long) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (long === undefined)
                    long = 0;
                if (long > $Reader.recursionLimit)
                    throw Error("maximum nesting depth exceeded");
                let end, message;
                if (length === undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = new $root.trireme.tunnel.Data();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.connectId = reader.int64();
                            break;
                        }
                    case 2: {
                            message.error = reader.string();
                            break;
                        }
                    case 3: {
                            message.data = reader.bytes();
                            break;
                        }
                    default:
                        reader.skipType(tag & 7, long);
                        break;
                    }
                }
                if (length !== undefined) {
                    if (reader.pos !== end)
                        throw RangeError("index out of range");
                    reader.len = length;
                }
                return message;
            };

            return Data;
        })();

        return tunnel;
    })();

    return trireme;
})();

export { $root as default };
