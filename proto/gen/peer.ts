// @ts-nocheck
// Made by proto/generate.mjs from peer.proto. Do not edit.
import $protobuf from "protobufjs/minimal.js";

const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;

const $root = $protobuf.roots["trireme-peer"] || ($protobuf.roots["trireme-peer"] = {});

export const trireme = $root.trireme = (() => {

    const trireme = {};

    trireme.peer = (function() {

        const peer = {};

        peer.Bundle = (function() {

            function Bundle(properties) {
                this.answers = [];
                this.raft = [];
                this.proposals = [];
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            Bundle.prototype.hello = null;
            Bundle.prototype.answers = $util.emptyArray;
            Bundle.prototype.raft = $util.emptyArray;
            Bundle.prototype.proposals = $util.emptyArray;
            Bundle.prototype.ping = null;
            Bundle.prototype.pong = null;
            Bundle.prototype.hash = null;

            Bundle.create = function create(properties) {
                return new Bundle(properties);
            };

            Bundle.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.hello != null && Object.hasOwnProperty.call(message, "hello"))
                    $root.trireme.peer.Hello.encode(message.hello, writer.uint32(10).fork(), q + 1).ldelim();
                if (message.answers != null && message.answers.length)
                    for (let i = 0; i < message.answers.length; ++i)
                        $root.trireme.peer.ProposalAnswer.encode(message.answers[i], writer.uint32(18).fork(), q + 1).ldelim();
                if (message.raft != null && message.raft.length)
                    for (let i = 0; i < message.raft.length; ++i)
                        $root.trireme.peer.RaftMessage.encode(message.raft[i], writer.uint32(26).fork(), q + 1).ldelim();
                if (message.proposals != null && message.proposals.length)
                    for (let i = 0; i < message.proposals.length; ++i)
                        $root.trireme.peer.Proposal.encode(message.proposals[i], writer.uint32(34).fork(), q + 1).ldelim();
                if (message.ping != null && Object.hasOwnProperty.call(message, "ping"))
                    $root.trireme.peer.Ping.encode(message.ping, writer.uint32(42).fork(), q + 1).ldelim();
                if (message.pong != null && Object.hasOwnProperty.call(message, "pong"))
                    $root.trireme.peer.Ping.encode(message.pong, writer.uint32(50).fork(), q + 1).ldelim();
                if (message.hash != null && Object.hasOwnProperty.call(message, "hash"))
                    $root.trireme.peer.StateHash.encode(message.hash, writer.uint32(58).fork(), q + 1).ldelim();
                return writer;
            };

            Bundle.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.Bundle();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.hello = $root.trireme.peer.Hello.decode(reader, reader.uint32(), undefined, long + 1);
                            break;
                        }
                    case 2: {
                            if (!(message.answers && message.answers.length))
                                message.answers = [];
                            message.answers.push($root.trireme.peer.ProposalAnswer.decode(reader, reader.uint32(), undefined, long + 1));
                            break;
                        }
                    case 3: {
                            if (!(message.raft && message.raft.length))
                                message.raft = [];
                            message.raft.push($root.trireme.peer.RaftMessage.decode(reader, reader.uint32(), undefined, long + 1));
                            break;
                        }
                    case 4: {
                            if (!(message.proposals && message.proposals.length))
                                message.proposals = [];
                            message.proposals.push($root.trireme.peer.Proposal.decode(reader, reader.uint32(), undefined, long + 1));
                            break;
                        }
                    case 5: {
                            message.ping = $root.trireme.peer.Ping.decode(reader, reader.uint32(), undefined, long + 1);
                            break;
                        }
                    case 6: {
                            message.pong = $root.trireme.peer.Ping.decode(reader, reader.uint32(), undefined, long + 1);
                            break;
                        }
                    case 7: {
                            message.hash = $root.trireme.peer.StateHash.decode(reader, reader.uint32(), undefined, long + 1);
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

            return Bundle;
        })();

        peer.Hello = (function() {

            function Hello(properties) {
                this.urls = [];
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            Hello.prototype.clusterId = "";
            Hello.prototype.from = 0;
            Hello.prototype.to = 0;
            Hello.prototype.version = "";
            Hello.prototype.protocol = 0;
            Hello.prototype.refused = "";
            Hello.prototype.incarnation = 0;
            Hello.prototype.urls = $util.emptyArray;

            Hello.create = function create(properties) {
                return new Hello(properties);
            };

            Hello.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.clusterId != null && Object.hasOwnProperty.call(message, "clusterId"))
                    writer.uint32(10).string(message.clusterId);
                if (message.from != null && Object.hasOwnProperty.call(message, "from"))
                    writer.uint32(17).double(message.from);
                if (message.to != null && Object.hasOwnProperty.call(message, "to"))
                    writer.uint32(25).double(message.to);
                if (message.version != null && Object.hasOwnProperty.call(message, "version"))
                    writer.uint32(34).string(message.version);
                if (message.protocol != null && Object.hasOwnProperty.call(message, "protocol"))
                    writer.uint32(40).uint32(message.protocol);
                if (message.refused != null && Object.hasOwnProperty.call(message, "refused"))
                    writer.uint32(50).string(message.refused);
                if (message.incarnation != null && Object.hasOwnProperty.call(message, "incarnation"))
                    writer.uint32(57).double(message.incarnation);
                if (message.urls != null && message.urls.length)
                    for (let i = 0; i < message.urls.length; ++i)
                        writer.uint32(66).string(message.urls[i]);
                return writer;
            };

            Hello.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.Hello();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.clusterId = reader.string();
                            break;
                        }
                    case 2: {
                            message.from = reader.double();
                            break;
                        }
                    case 3: {
                            message.to = reader.double();
                            break;
                        }
                    case 4: {
                            message.version = reader.string();
                            break;
                        }
                    case 5: {
                            message.protocol = reader.uint32();
                            break;
                        }
                    case 6: {
                            message.refused = reader.string();
                            break;
                        }
                    case 7: {
                            message.incarnation = reader.double();
                            break;
                        }
                    case 8: {
                            if (!(message.urls && message.urls.length))
                                message.urls = [];
                            message.urls.push(reader.string());
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

            return Hello;
        })();

        peer.Ping = (function() {

            function Ping(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            Ping.prototype.sent = 0;

            Ping.create = function create(properties) {
                return new Ping(properties);
            };

            Ping.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.sent != null && Object.hasOwnProperty.call(message, "sent"))
                    writer.uint32(9).double(message.sent);
                return writer;
            };

            Ping.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.Ping();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.sent = reader.double();
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

            return Ping;
        })();

        peer.Entry = (function() {

            function Entry(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            Entry.prototype.term = 0;
            Entry.prototype.index = 0;
            Entry.prototype.kind = 0;
            Entry.prototype.data = $util.newBuffer([]);

            Entry.create = function create(properties) {
                return new Entry(properties);
            };

            Entry.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.term != null && Object.hasOwnProperty.call(message, "term"))
                    writer.uint32(9).double(message.term);
                if (message.index != null && Object.hasOwnProperty.call(message, "index"))
                    writer.uint32(17).double(message.index);
                if (message.kind != null && Object.hasOwnProperty.call(message, "kind"))
                    writer.uint32(24).uint32(message.kind);
                if (message.data != null && Object.hasOwnProperty.call(message, "data"))
                    writer.uint32(34).bytes(message.data);
                return writer;
            };

            Entry.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.Entry();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.term = reader.double();
                            break;
                        }
                    case 2: {
                            message.index = reader.double();
                            break;
                        }
                    case 3: {
                            message.kind = reader.uint32();
                            break;
                        }
                    case 4: {
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

            return Entry;
        })();

        peer.Configuration = (function() {

            function Configuration(properties) {
                this.voters = [];
                this.votersOutgoing = [];
                this.learners = [];
                this.learnersNext = [];
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            Configuration.prototype.voters = $util.emptyArray;
            Configuration.prototype.votersOutgoing = $util.emptyArray;
            Configuration.prototype.learners = $util.emptyArray;
            Configuration.prototype.learnersNext = $util.emptyArray;

            Configuration.create = function create(properties) {
                return new Configuration(properties);
            };

            Configuration.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.voters != null && message.voters.length) {
                    writer.uint32(10).fork();
                    for (let i = 0; i < message.voters.length; ++i)
                        writer.double(message.voters[i]);
                    writer.ldelim();
                }
                if (message.votersOutgoing != null && message.votersOutgoing.length) {
                    writer.uint32(18).fork();
                    for (let i = 0; i < message.votersOutgoing.length; ++i)
                        writer.double(message.votersOutgoing[i]);
                    writer.ldelim();
                }
                if (message.learners != null && message.learners.length) {
                    writer.uint32(26).fork();
                    for (let i = 0; i < message.learners.length; ++i)
                        writer.double(message.learners[i]);
                    writer.ldelim();
                }
                if (message.learnersNext != null && message.learnersNext.length) {
                    writer.uint32(34).fork();
                    for (let i = 0; i < message.learnersNext.length; ++i)
                        writer.double(message.learnersNext[i]);
                    writer.ldelim();
                }
                return writer;
            };

            Configuration.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.Configuration();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            if (!(message.voters && message.voters.length))
                                message.voters = [];
                            if ((tag & 7) === 2) {
                                let end2 = reader.uint32() + reader.pos;
                                if (end2 > reader.len)
                                    throw RangeError("index out of range");
                                reader.len = end2;
                                while (reader.pos < end2)
                                    message.voters.push(reader.double());
                                if (reader.pos !== end2)
                                    throw RangeError("index out of range");
                                reader.len = end;
                            } else
                                message.voters.push(reader.double());
                            break;
                        }
                    case 2: {
                            if (!(message.votersOutgoing && message.votersOutgoing.length))
                                message.votersOutgoing = [];
                            if ((tag & 7) === 2) {
                                let end2 = reader.uint32() + reader.pos;
                                if (end2 > reader.len)
                                    throw RangeError("index out of range");
                                reader.len = end2;
                                while (reader.pos < end2)
                                    message.votersOutgoing.push(reader.double());
                                if (reader.pos !== end2)
                                    throw RangeError("index out of range");
                                reader.len = end;
                            } else
                                message.votersOutgoing.push(reader.double());
                            break;
                        }
                    case 3: {
                            if (!(message.learners && message.learners.length))
                                message.learners = [];
                            if ((tag & 7) === 2) {
                                let end2 = reader.uint32() + reader.pos;
                                if (end2 > reader.len)
                                    throw RangeError("index out of range");
                                reader.len = end2;
                                while (reader.pos < end2)
                                    message.learners.push(reader.double());
                                if (reader.pos !== end2)
                                    throw RangeError("index out of range");
                                reader.len = end;
                            } else
                                message.learners.push(reader.double());
                            break;
                        }
                    case 4: {
                            if (!(message.learnersNext && message.learnersNext.length))
                                message.learnersNext = [];
                            if ((tag & 7) === 2) {
                                let end2 = reader.uint32() + reader.pos;
                                if (end2 > reader.len)
                                    throw RangeError("index out of range");
                                reader.len = end2;
                                while (reader.pos < end2)
                                    message.learnersNext.push(reader.double());
                                if (reader.pos !== end2)
                                    throw RangeError("index out of range");
                                reader.len = end;
                            } else
                                message.learnersNext.push(reader.double());
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

            return Configuration;
        })();

        peer.SnapshotMeta = (function() {

            function SnapshotMeta(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            SnapshotMeta.prototype.index = 0;
            SnapshotMeta.prototype.term = 0;
            SnapshotMeta.prototype.config = null;

            SnapshotMeta.create = function create(properties) {
                return new SnapshotMeta(properties);
            };

            SnapshotMeta.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.index != null && Object.hasOwnProperty.call(message, "index"))
                    writer.uint32(9).double(message.index);
                if (message.term != null && Object.hasOwnProperty.call(message, "term"))
                    writer.uint32(17).double(message.term);
                if (message.config != null && Object.hasOwnProperty.call(message, "config"))
                    $root.trireme.peer.Configuration.encode(message.config, writer.uint32(26).fork(), q + 1).ldelim();
                return writer;
            };

            SnapshotMeta.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.SnapshotMeta();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.index = reader.double();
                            break;
                        }
                    case 2: {
                            message.term = reader.double();
                            break;
                        }
                    case 3: {
                            message.config = $root.trireme.peer.Configuration.decode(reader, reader.uint32(), undefined, long + 1);
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

            return SnapshotMeta;
        })();

        peer.RaftMessage = (function() {

            function RaftMessage(properties) {
                this.entries = [];
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            RaftMessage.prototype.kind = 0;
            RaftMessage.prototype.term = 0;
            RaftMessage.prototype.index = 0;
            RaftMessage.prototype.logTerm = 0;
            RaftMessage.prototype.commit = 0;
            RaftMessage.prototype.entries = $util.emptyArray;
            RaftMessage.prototype.hintIndex = 0;
            RaftMessage.prototype.hintTerm = 0;
            RaftMessage.prototype.round = 0;
            RaftMessage.prototype.preVote = false;
            RaftMessage.prototype.transfer = false;
            RaftMessage.prototype.granted = false;
            RaftMessage.prototype.incarnation = 0;
            RaftMessage.prototype.sequence = 0;
            RaftMessage.prototype.refused = 0;
            RaftMessage.prototype.snapshot = null;
            RaftMessage.prototype.from = 0;
            RaftMessage.prototype.to = 0;
            RaftMessage.prototype.quiet = false;

            RaftMessage.create = function create(properties) {
                return new RaftMessage(properties);
            };

            RaftMessage.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.kind != null && Object.hasOwnProperty.call(message, "kind"))
                    writer.uint32(8).uint32(message.kind);
                if (message.term != null && Object.hasOwnProperty.call(message, "term"))
                    writer.uint32(17).double(message.term);
                if (message.index != null && Object.hasOwnProperty.call(message, "index"))
                    writer.uint32(25).double(message.index);
                if (message.logTerm != null && Object.hasOwnProperty.call(message, "logTerm"))
                    writer.uint32(33).double(message.logTerm);
                if (message.commit != null && Object.hasOwnProperty.call(message, "commit"))
                    writer.uint32(41).double(message.commit);
                if (message.entries != null && message.entries.length)
                    for (let i = 0; i < message.entries.length; ++i)
                        $root.trireme.peer.Entry.encode(message.entries[i], writer.uint32(50).fork(), q + 1).ldelim();
                if (message.hintIndex != null && Object.hasOwnProperty.call(message, "hintIndex"))
                    writer.uint32(57).double(message.hintIndex);
                if (message.hintTerm != null && Object.hasOwnProperty.call(message, "hintTerm"))
                    writer.uint32(65).double(message.hintTerm);
                if (message.round != null && Object.hasOwnProperty.call(message, "round"))
                    writer.uint32(73).double(message.round);
                if (message.preVote != null && Object.hasOwnProperty.call(message, "preVote"))
                    writer.uint32(80).bool(message.preVote);
                if (message.transfer != null && Object.hasOwnProperty.call(message, "transfer"))
                    writer.uint32(88).bool(message.transfer);
                if (message.granted != null && Object.hasOwnProperty.call(message, "granted"))
                    writer.uint32(96).bool(message.granted);
                if (message.incarnation != null && Object.hasOwnProperty.call(message, "incarnation"))
                    writer.uint32(105).double(message.incarnation);
                if (message.sequence != null && Object.hasOwnProperty.call(message, "sequence"))
                    writer.uint32(113).double(message.sequence);
                if (message.refused != null && Object.hasOwnProperty.call(message, "refused"))
                    writer.uint32(120).uint32(message.refused);
                if (message.snapshot != null && Object.hasOwnProperty.call(message, "snapshot"))
                    $root.trireme.peer.SnapshotMeta.encode(message.snapshot, writer.uint32(130).fork(), q + 1).ldelim();
                if (message.from != null && Object.hasOwnProperty.call(message, "from"))
                    writer.uint32(137).double(message.from);
                if (message.to != null && Object.hasOwnProperty.call(message, "to"))
                    writer.uint32(145).double(message.to);
                if (message.quiet != null && Object.hasOwnProperty.call(message, "quiet"))
                    writer.uint32(152).bool(message.quiet);
                return writer;
            };

            RaftMessage.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.RaftMessage();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.kind = reader.uint32();
                            break;
                        }
                    case 2: {
                            message.term = reader.double();
                            break;
                        }
                    case 3: {
                            message.index = reader.double();
                            break;
                        }
                    case 4: {
                            message.logTerm = reader.double();
                            break;
                        }
                    case 5: {
                            message.commit = reader.double();
                            break;
                        }
                    case 6: {
                            if (!(message.entries && message.entries.length))
                                message.entries = [];
                            message.entries.push($root.trireme.peer.Entry.decode(reader, reader.uint32(), undefined, long + 1));
                            break;
                        }
                    case 7: {
                            message.hintIndex = reader.double();
                            break;
                        }
                    case 8: {
                            message.hintTerm = reader.double();
                            break;
                        }
                    case 9: {
                            message.round = reader.double();
                            break;
                        }
                    case 10: {
                            message.preVote = reader.bool();
                            break;
                        }
                    case 11: {
                            message.transfer = reader.bool();
                            break;
                        }
                    case 12: {
                            message.granted = reader.bool();
                            break;
                        }
                    case 13: {
                            message.incarnation = reader.double();
                            break;
                        }
                    case 14: {
                            message.sequence = reader.double();
                            break;
                        }
                    case 15: {
                            message.refused = reader.uint32();
                            break;
                        }
                    case 16: {
                            message.snapshot = $root.trireme.peer.SnapshotMeta.decode(reader, reader.uint32(), undefined, long + 1);
                            break;
                        }
                    case 17: {
                            message.from = reader.double();
                            break;
                        }
                    case 18: {
                            message.to = reader.double();
                            break;
                        }
                    case 19: {
                            message.quiet = reader.bool();
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

            return RaftMessage;
        })();

        peer.Proposal = (function() {

            function Proposal(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            Proposal.prototype.id = 0;
            Proposal.prototype.data = $util.newBuffer([]);
            Proposal.prototype.term = 0;

            Proposal.create = function create(properties) {
                return new Proposal(properties);
            };

            Proposal.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.id != null && Object.hasOwnProperty.call(message, "id"))
                    writer.uint32(9).double(message.id);
                if (message.data != null && Object.hasOwnProperty.call(message, "data"))
                    writer.uint32(18).bytes(message.data);
                if (message.term != null && Object.hasOwnProperty.call(message, "term"))
                    writer.uint32(25).double(message.term);
                return writer;
            };

            Proposal.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.Proposal();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.id = reader.double();
                            break;
                        }
                    case 2: {
                            message.data = reader.bytes();
                            break;
                        }
                    case 3: {
                            message.term = reader.double();
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

            return Proposal;
        })();

        peer.ProposalAnswer = (function() {

            function ProposalAnswer(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            ProposalAnswer.prototype.id = 0;
            ProposalAnswer.prototype.refused = "";
            ProposalAnswer.prototype.message = "";
            ProposalAnswer.prototype.term = 0;

            ProposalAnswer.create = function create(properties) {
                return new ProposalAnswer(properties);
            };

            ProposalAnswer.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.id != null && Object.hasOwnProperty.call(message, "id"))
                    writer.uint32(9).double(message.id);
                if (message.refused != null && Object.hasOwnProperty.call(message, "refused"))
                    writer.uint32(18).string(message.refused);
                if (message.message != null && Object.hasOwnProperty.call(message, "message"))
                    writer.uint32(26).string(message.message);
                if (message.term != null && Object.hasOwnProperty.call(message, "term"))
                    writer.uint32(33).double(message.term);
                return writer;
            };

            ProposalAnswer.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.ProposalAnswer();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.id = reader.double();
                            break;
                        }
                    case 2: {
                            message.refused = reader.string();
                            break;
                        }
                    case 3: {
                            message.message = reader.string();
                            break;
                        }
                    case 4: {
                            message.term = reader.double();
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

            return ProposalAnswer;
        })();

        peer.StateHash = (function() {

            function StateHash(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            StateHash.prototype.revision = 0;
            StateHash.prototype.hash = "";
            StateHash.prototype.history = "";

            StateHash.create = function create(properties) {
                return new StateHash(properties);
            };

            StateHash.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.revision != null && Object.hasOwnProperty.call(message, "revision"))
                    writer.uint32(9).double(message.revision);
                if (message.hash != null && Object.hasOwnProperty.call(message, "hash"))
                    writer.uint32(18).string(message.hash);
                if (message.history != null && Object.hasOwnProperty.call(message, "history"))
                    writer.uint32(26).string(message.history);
                return writer;
            };

            StateHash.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.StateHash();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.revision = reader.double();
                            break;
                        }
                    case 2: {
                            message.hash = reader.string();
                            break;
                        }
                    case 3: {
                            message.history = reader.string();
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

            return StateHash;
        })();

        peer.SnapshotPart = (function() {

            function SnapshotPart(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            SnapshotPart.prototype.begin = null;
            SnapshotPart.prototype.data = $util.newBuffer([]);
            SnapshotPart.prototype.checksum = 0;
            SnapshotPart.prototype.end = null;

            SnapshotPart.create = function create(properties) {
                return new SnapshotPart(properties);
            };

            SnapshotPart.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.begin != null && Object.hasOwnProperty.call(message, "begin"))
                    $root.trireme.peer.SnapshotBegin.encode(message.begin, writer.uint32(10).fork(), q + 1).ldelim();
                if (message.data != null && Object.hasOwnProperty.call(message, "data"))
                    writer.uint32(18).bytes(message.data);
                if (message.checksum != null && Object.hasOwnProperty.call(message, "checksum"))
                    writer.uint32(29).fixed32(message.checksum);
                if (message.end != null && Object.hasOwnProperty.call(message, "end"))
                    $root.trireme.peer.SnapshotEnd.encode(message.end, writer.uint32(34).fork(), q + 1).ldelim();
                return writer;
            };

            SnapshotPart.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.SnapshotPart();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.begin = $root.trireme.peer.SnapshotBegin.decode(reader, reader.uint32(), undefined, long + 1);
                            break;
                        }
                    case 2: {
                            message.data = reader.bytes();
                            break;
                        }
                    case 3: {
                            message.checksum = reader.fixed32();
                            break;
                        }
                    case 4: {
                            message.end = $root.trireme.peer.SnapshotEnd.decode(reader, reader.uint32(), undefined, long + 1);
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

            return SnapshotPart;
        })();

        peer.SnapshotBegin = (function() {

            function SnapshotBegin(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            SnapshotBegin.prototype.clusterId = "";
            SnapshotBegin.prototype.from = 0;
            SnapshotBegin.prototype.to = 0;
            SnapshotBegin.prototype.term = 0;

            SnapshotBegin.create = function create(properties) {
                return new SnapshotBegin(properties);
            };

            SnapshotBegin.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.clusterId != null && Object.hasOwnProperty.call(message, "clusterId"))
                    writer.uint32(10).string(message.clusterId);
                if (message.from != null && Object.hasOwnProperty.call(message, "from"))
                    writer.uint32(17).double(message.from);
                if (message.to != null && Object.hasOwnProperty.call(message, "to"))
                    writer.uint32(25).double(message.to);
                if (message.term != null && Object.hasOwnProperty.call(message, "term"))
                    writer.uint32(33).double(message.term);
                return writer;
            };

            SnapshotBegin.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.SnapshotBegin();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.clusterId = reader.string();
                            break;
                        }
                    case 2: {
                            message.from = reader.double();
                            break;
                        }
                    case 3: {
                            message.to = reader.double();
                            break;
                        }
                    case 4: {
                            message.term = reader.double();
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

            return SnapshotBegin;
        })();

        peer.SnapshotEnd = (function() {

            function SnapshotEnd(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            SnapshotEnd.prototype.bytes = 0;
            SnapshotEnd.prototype.meta = null;

            SnapshotEnd.create = function create(properties) {
                return new SnapshotEnd(properties);
            };

            SnapshotEnd.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.bytes != null && Object.hasOwnProperty.call(message, "bytes"))
                    writer.uint32(9).double(message.bytes);
                if (message.meta != null && Object.hasOwnProperty.call(message, "meta"))
                    $root.trireme.peer.SnapshotMeta.encode(message.meta, writer.uint32(18).fork(), q + 1).ldelim();
                return writer;
            };

            SnapshotEnd.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.SnapshotEnd();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.bytes = reader.double();
                            break;
                        }
                    case 2: {
                            message.meta = $root.trireme.peer.SnapshotMeta.decode(reader, reader.uint32(), undefined, long + 1);
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

            return SnapshotEnd;
        })();

        peer.SnapshotAck = (function() {

            function SnapshotAck(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            SnapshotAck.prototype.installed = false;
            SnapshotAck.prototype.refused = "";

            SnapshotAck.create = function create(properties) {
                return new SnapshotAck(properties);
            };

            SnapshotAck.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.installed != null && Object.hasOwnProperty.call(message, "installed"))
                    writer.uint32(8).bool(message.installed);
                if (message.refused != null && Object.hasOwnProperty.call(message, "refused"))
                    writer.uint32(18).string(message.refused);
                return writer;
            };

            SnapshotAck.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.SnapshotAck();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.installed = reader.bool();
                            break;
                        }
                    case 2: {
                            message.refused = reader.string();
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

            return SnapshotAck;
        })();

        peer.MembersRequest = (function() {

            function MembersRequest(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            MembersRequest.create = function create(properties) {
                return new MembersRequest(properties);
            };

            MembersRequest.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                return writer;
            };

            MembersRequest.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.MembersRequest();
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

            return MembersRequest;
        })();

        peer.MembersReply = (function() {

            function MembersReply(properties) {
                this.members = [];
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            MembersReply.prototype.clusterId = "";
            MembersReply.prototype.members = $util.emptyArray;

            MembersReply.create = function create(properties) {
                return new MembersReply(properties);
            };

            MembersReply.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.clusterId != null && Object.hasOwnProperty.call(message, "clusterId"))
                    writer.uint32(10).string(message.clusterId);
                if (message.members != null && message.members.length)
                    for (let i = 0; i < message.members.length; ++i)
                        $root.trireme.peer.Member.encode(message.members[i], writer.uint32(18).fork(), q + 1).ldelim();
                return writer;
            };

            MembersReply.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.MembersReply();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.clusterId = reader.string();
                            break;
                        }
                    case 2: {
                            if (!(message.members && message.members.length))
                                message.members = [];
                            message.members.push($root.trireme.peer.Member.decode(reader, reader.uint32(), undefined, long + 1));
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

            return MembersReply;
        })();

        peer.Member = (function() {

            function Member(properties) {
                this.peerUrls = [];
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            Member.prototype.id = 0;
            Member.prototype.name = "";
            Member.prototype.peerUrls = $util.emptyArray;
            Member.prototype.learner = false;

            Member.create = function create(properties) {
                return new Member(properties);
            };

            Member.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.id != null && Object.hasOwnProperty.call(message, "id"))
                    writer.uint32(9).double(message.id);
                if (message.name != null && Object.hasOwnProperty.call(message, "name"))
                    writer.uint32(18).string(message.name);
                if (message.peerUrls != null && message.peerUrls.length)
                    for (let i = 0; i < message.peerUrls.length; ++i)
                        writer.uint32(26).string(message.peerUrls[i]);
                if (message.learner != null && Object.hasOwnProperty.call(message, "learner"))
                    writer.uint32(32).bool(message.learner);
                return writer;
            };

            Member.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.Member();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.id = reader.double();
                            break;
                        }
                    case 2: {
                            message.name = reader.string();
                            break;
                        }
                    case 3: {
                            if (!(message.peerUrls && message.peerUrls.length))
                                message.peerUrls = [];
                            message.peerUrls.push(reader.string());
                            break;
                        }
                    case 4: {
                            message.learner = reader.bool();
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

            return Member;
        })();

        peer.ControlCall = (function() {

            function ControlCall(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            ControlCall.prototype.name = "";
            ControlCall.prototype.argument = "";

            ControlCall.create = function create(properties) {
                return new ControlCall(properties);
            };

            ControlCall.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.name != null && Object.hasOwnProperty.call(message, "name"))
                    writer.uint32(10).string(message.name);
                if (message.argument != null && Object.hasOwnProperty.call(message, "argument"))
                    writer.uint32(18).string(message.argument);
                return writer;
            };

            ControlCall.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.ControlCall();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.name = reader.string();
                            break;
                        }
                    case 2: {
                            message.argument = reader.string();
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

            return ControlCall;
        })();

        peer.ControlReply = (function() {

            function ControlReply(properties) {
                if (properties)
                    for (let keys = Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            }

            ControlReply.prototype.result = "";
            ControlReply.prototype.failed = "";

            ControlReply.create = function create(properties) {
                return new ControlReply(properties);
            };

            ControlReply.encode = function encode(message, writer, q) {
                if (!writer)
                    writer = $Writer.create();
                if (q === undefined)
                    q = 0;
                if (q > $util.recursionLimit)
                    throw Error("max depth exceeded");
                if (message.result != null && Object.hasOwnProperty.call(message, "result"))
                    writer.uint32(10).string(message.result);
                if (message.failed != null && Object.hasOwnProperty.call(message, "failed"))
                    writer.uint32(18).string(message.failed);
                return writer;
            };

            ControlReply.decode = function decode(reader, length, error, long) {
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
                message = new $root.trireme.peer.ControlReply();
                while (reader.pos < end) {
                    let tag = reader.uint32();
                    if (tag === error)
                        break;
                    switch (tag >>> 3) {
                    case 1: {
                            message.result = reader.string();
                            break;
                        }
                    case 2: {
                            message.failed = reader.string();
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

            return ControlReply;
        })();

        return peer;
    })();

    return trireme;
})();

export { $root as default };
