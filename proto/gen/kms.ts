// @ts-nocheck
// Made by proto/generate.mjs from kms.proto. Do not edit.
import $protobuf from "protobufjs/minimal.js";

const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;

const $root = $protobuf.roots["trireme-kms"] || ($protobuf.roots["trireme-kms"] = {});

export const trireme = $root.trireme = (() => {

    const trireme = {};

    trireme.kms = (function() {

        const kms = {};

        kms.StatusRequest = (function() {

            function StatusRequest(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            StatusRequest.create = function create(properties) {
                return new StatusRequest(properties);
            };

            StatusRequest.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                return writer;
            };

            StatusRequest.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.kms.StatusRequest();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
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

            return StatusRequest;
        })();

        kms.StatusResponse = (function() {

            function StatusResponse(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            StatusResponse.prototype.version = "";
            StatusResponse.prototype.healthz = "";
            StatusResponse.prototype.keyId = "";

            StatusResponse.create = function create(properties) {
                return new StatusResponse(properties);
            };

            StatusResponse.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.version != null && Object.hasOwnProperty.call(message, "version"))
                    writer.uint32(10).string(message.version);
                if (message.healthz != null && Object.hasOwnProperty.call(message, "healthz"))
                    writer.uint32(18).string(message.healthz);
                if (message.keyId != null && Object.hasOwnProperty.call(message, "keyId"))
                    writer.uint32(26).string(message.keyId);
                return writer;
            };

            StatusResponse.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.kms.StatusResponse();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.version = reader.string();
                            break;
                        }
                    case 2: {
                            message.healthz = reader.string();
                            break;
                        }
                    case 3: {
                            message.keyId = reader.string();
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

            return StatusResponse;
        })();

        kms.DecryptRequest = (function() {

            function DecryptRequest(properties) {
                this.annotations = {};
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            DecryptRequest.prototype.ciphertext = $util.newBuffer([]);
            DecryptRequest.prototype.uid = "";
            DecryptRequest.prototype.keyId = "";
            DecryptRequest.prototype.annotations = $util.emptyObject;

            DecryptRequest.create = function create(properties) {
                return new DecryptRequest(properties);
            };

            DecryptRequest.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.ciphertext != null && Object.hasOwnProperty.call(message, "ciphertext"))
                    writer.uint32(10).bytes(message.ciphertext);
                if (message.uid != null && Object.hasOwnProperty.call(message, "uid"))
                    writer.uint32(18).string(message.uid);
                if (message.keyId != null && Object.hasOwnProperty.call(message, "keyId"))
                    writer.uint32(26).string(message.keyId);
                if (message.annotations != null && Object.hasOwnProperty.call(message, "annotations"))
                    for (let keys = Object.keys(message.annotations), i = 0; i < keys.length; ++i)
                        writer.uint32(34).fork().uint32(10).string(keys[i]).uint32(18).bytes(message.annotations[keys[i]]).ldelim();
                return writer;
            };

            DecryptRequest.decode = function decode(reader, length, error, long) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (long === undefined)
                    long = 0;
                if (long > $Reader.recursionLimit)
                    throw Error("maximum nesting depth exceeded");
                let end, message, key, value;
                if (length === undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = new $root.trireme.kms.DecryptRequest();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.ciphertext = reader.bytes();
                            break;
                        }
                    case 2: {
                            message.uid = reader.string();
                            break;
                        }
                    case 3: {
                            message.keyId = reader.string();
                            break;
                        }
                    case 4: {
                            if (message.annotations === $util.emptyObject)
                                message.annotations = {};
                            let end2 = reader.uint32() + reader.pos;
                            if (end2 > reader.len)
                                throw RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = [];
                            while (reader.pos < end2) {
                                let tag2 = reader.uint32();
                                switch (tag2 >>> 3) {
                                case 1:
                                    key = reader.string();
                                    break;
                                case 2:
                                    value = reader.bytes();
                                    break;
                                default:
                                    reader.skipType(tag2 & 7, long);
                                    break;
                                }
                            }
                            if (reader.pos !== end2)
                                throw RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.annotations, key);
                            message.annotations[key] = value;
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

            return DecryptRequest;
        })();

        kms.DecryptResponse = (function() {

            function DecryptResponse(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            DecryptResponse.prototype.plaintext = $util.newBuffer([]);

            DecryptResponse.create = function create(properties) {
                return new DecryptResponse(properties);
            };

            DecryptResponse.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.plaintext != null && Object.hasOwnProperty.call(message, "plaintext"))
                    writer.uint32(10).bytes(message.plaintext);
                return writer;
            };

            DecryptResponse.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.kms.DecryptResponse();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.plaintext = reader.bytes();
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

            return DecryptResponse;
        })();

        kms.EncryptRequest = (function() {

            function EncryptRequest(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            EncryptRequest.prototype.plaintext = $util.newBuffer([]);
            EncryptRequest.prototype.uid = "";

            EncryptRequest.create = function create(properties) {
                return new EncryptRequest(properties);
            };

            EncryptRequest.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.plaintext != null && Object.hasOwnProperty.call(message, "plaintext"))
                    writer.uint32(10).bytes(message.plaintext);
                if (message.uid != null && Object.hasOwnProperty.call(message, "uid"))
                    writer.uint32(18).string(message.uid);
                return writer;
            };

            EncryptRequest.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.kms.EncryptRequest();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.plaintext = reader.bytes();
                            break;
                        }
                    case 2: {
                            message.uid = reader.string();
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

            return EncryptRequest;
        })();

        kms.EncryptResponse = (function() {

            function EncryptResponse(properties) {
                this.annotations = {};
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            EncryptResponse.prototype.ciphertext = $util.newBuffer([]);
            EncryptResponse.prototype.keyId = "";
            EncryptResponse.prototype.annotations = $util.emptyObject;

            EncryptResponse.create = function create(properties) {
                return new EncryptResponse(properties);
            };

            EncryptResponse.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.ciphertext != null && Object.hasOwnProperty.call(message, "ciphertext"))
                    writer.uint32(10).bytes(message.ciphertext);
                if (message.keyId != null && Object.hasOwnProperty.call(message, "keyId"))
                    writer.uint32(18).string(message.keyId);
                if (message.annotations != null && Object.hasOwnProperty.call(message, "annotations"))
                    for (let keys = Object.keys(message.annotations), i = 0; i < keys.length; ++i)
                        writer.uint32(26).fork().uint32(10).string(keys[i]).uint32(18).bytes(message.annotations[keys[i]]).ldelim();
                return writer;
            };

            EncryptResponse.decode = function decode(reader, length, error, long) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (long === undefined)
                    long = 0;
                if (long > $Reader.recursionLimit)
                    throw Error("maximum nesting depth exceeded");
                let end, message, key, value;
                if (length === undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = new $root.trireme.kms.EncryptResponse();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.ciphertext = reader.bytes();
                            break;
                        }
                    case 2: {
                            message.keyId = reader.string();
                            break;
                        }
                    case 3: {
                            if (message.annotations === $util.emptyObject)
                                message.annotations = {};
                            let end2 = reader.uint32() + reader.pos;
                            if (end2 > reader.len)
                                throw RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = [];
                            while (reader.pos < end2) {
                                let tag2 = reader.uint32();
                                switch (tag2 >>> 3) {
                                case 1:
                                    key = reader.string();
                                    break;
                                case 2:
                                    value = reader.bytes();
                                    break;
                                default:
                                    reader.skipType(tag2 & 7, long);
                                    break;
                                }
                            }
                            if (reader.pos !== end2)
                                throw RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.annotations, key);
                            message.annotations[key] = value;
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

            return EncryptResponse;
        })();

        kms.EncryptedObject = (function() {

            function EncryptedObject(properties) {
                this.annotations = {};
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            EncryptedObject.prototype.encryptedData = $util.newBuffer([]);
            EncryptedObject.prototype.keyId = "";
            EncryptedObject.prototype.encryptedDekSource = $util.newBuffer([]);
            EncryptedObject.prototype.annotations = $util.emptyObject;
            EncryptedObject.prototype.encryptedDekSourceType = 0;

            EncryptedObject.create = function create(properties) {
                return new EncryptedObject(properties);
            };

            EncryptedObject.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.encryptedData != null && Object.hasOwnProperty.call(message, "encryptedData"))
                    writer.uint32(10).bytes(message.encryptedData);
                if (message.keyId != null && Object.hasOwnProperty.call(message, "keyId"))
                    writer.uint32(18).string(message.keyId);
                if (message.encryptedDekSource != null && Object.hasOwnProperty.call(message, "encryptedDekSource"))
                    writer.uint32(26).bytes(message.encryptedDekSource);
                if (message.annotations != null && Object.hasOwnProperty.call(message, "annotations"))
                    for (let keys = Object.keys(message.annotations), i = 0; i < keys.length; ++i)
                        writer.uint32(34).fork().uint32(10).string(keys[i]).uint32(18).bytes(message.annotations[keys[i]]).ldelim();
                if (message.encryptedDekSourceType != null && Object.hasOwnProperty.call(message, "encryptedDekSourceType"))
                    writer.uint32(40).uint32(message.encryptedDekSourceType);
                return writer;
            };

            EncryptedObject.decode = function decode(reader, length, error, long) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (long === undefined)
                    long = 0;
                if (long > $Reader.recursionLimit)
                    throw Error("maximum nesting depth exceeded");
                let end, message, key, value;
                if (length === undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = new $root.trireme.kms.EncryptedObject();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.encryptedData = reader.bytes();
                            break;
                        }
                    case 2: {
                            message.keyId = reader.string();
                            break;
                        }
                    case 3: {
                            message.encryptedDekSource = reader.bytes();
                            break;
                        }
                    case 4: {
                            if (message.annotations === $util.emptyObject)
                                message.annotations = {};
                            let end2 = reader.uint32() + reader.pos;
                            if (end2 > reader.len)
                                throw RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = [];
                            while (reader.pos < end2) {
                                let tag2 = reader.uint32();
                                switch (tag2 >>> 3) {
                                case 1:
                                    key = reader.string();
                                    break;
                                case 2:
                                    value = reader.bytes();
                                    break;
                                default:
                                    reader.skipType(tag2 & 7, long);
                                    break;
                                }
                            }
                            if (reader.pos !== end2)
                                throw RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.annotations, key);
                            message.annotations[key] = value;
                            break;
                        }
                    case 5: {
                            message.encryptedDekSourceType = reader.uint32();
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

            return EncryptedObject;
        })();

        return kms;
    })();

    return trireme;
})();

export { $root as default };
