/**
 * Floor 5: the admin server: metrics, health and status over HTTP, for operators and their tools.
 *
 * <p>Invariants: it reads published snapshots and asks no actor, so that it answers whatever else is stuck; it has its own thread,
 * and nothing of it is loaded before somebody connects; what it may hold is bounded by its number of connections. Read
 * {@link kaka.console.AdminServer} first, then {@link kaka.console.AdminPages}.
 */
package kaka.console;
