/**
 * Floor 4: one client connection, whatever protocol it speaks: TCP listener, one actor per connection on the thread that
 * serves its socket, the request window, answers in order.
 *
 * <p>Invariants: what a connection holds is bounded by its window and charged to the memory budget; answers leave in the
 * order of the requests; without credit the socket is not read; what can take longer than
 * the others of a thread should wait is done elsewhere ({@link kaka.connection.Checks}). What a frame means is its
 * {@link kaka.connection.FrontDoor}'s business. Read {@link kaka.connection.ConnectionLogic} first.
 */
package kaka.connection;
