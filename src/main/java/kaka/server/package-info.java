/**
 * Floor 4: the native front door: TCP listener, one actor and one stream stage per connection, the request window.
 *
 * <p>Invariants: what a connection holds is bounded by its window and charged to the memory budget; answers leave in the
 * order of the requests; without credit the stage does not pull, so the socket is not read. Read
 * {@link kaka.server.ConnectionStage} first.
 */
package kaka.server;
