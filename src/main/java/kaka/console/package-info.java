/**
 * Floor 5: the admin server: metrics, health, status and the HTTP API, and the console's files, for operators and their tools.
 *
 * <p>Invariants: what shows the broker reads published snapshots, so that it answers whatever else is stuck; an actor is asked only for what
 * nobody else knows or may do, and nothing waits for it without end. It has its own threads: none that a disk can block answers whether the
 * process lives. Nothing of it is loaded before somebody connects; what it may hold is bounded by its number of connections and
 * charged to the memory budget where it is not small. Read {@link kaka.console.AdminServer} first, then {@link kaka.console.AdminPages} and, for the
 * API, {@link kaka.console.Api} and {@link kaka.console.ApiRoutes}.
 */
package kaka.console;
