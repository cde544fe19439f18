/**
 * Floor 0: how fast clients may produce and fetch, and who owes how much. Pure: no thread, no socket, time is given.
 *
 * <p>Invariants: all connections of one client share one rate; the table of clients has a bound, whatever names clients make
 * up; nothing is refused, a client that was too fast only waits, and never longer than the configured time. Read
 * {@link kaka.quota.Quotas} first.
 */
package kaka.quota;
