/**
 * Floor 1: one thread for many sockets. It serves the native client's connections, and the broker's.
 *
 * <p>Invariants: whatever is registered with a loop is touched by its thread alone; nothing that runs on it blocks. Read
 * {@link kaka.socket.SelectorLoop}.
 */
package kaka.socket;
