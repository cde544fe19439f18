/**
 * Floor 1: the native protocol's frames and messages, as pure functions on buffers; uses {@code record}.
 *
 * <p>Invariants: no length that came over the wire is believed before it was compared with the bytes that are there; wrong
 * bytes give a {@link kaka.protocol.ProtocolException} and nothing else; a message that exists is valid. {@code PROTOCOL.md}
 * beside these files is the specification, and its examples are run as tests. Read {@link kaka.protocol.FrameCutter} first,
 * then {@link kaka.protocol.Requests}.
 */
package kaka.protocol;
