/**
 * Floor 3: the load generator behind {@code kaka bench}, plain Java; uses client, protocol and record.
 *
 * <p>Invariants: a few threads drive all connections, each {@link kaka.bench.BenchLoop} one selector and no lock; what a
 * connection holds is bounded by its window and one answer; a request that is late because the broker was is measured from
 * when it was due ({@link kaka.bench.Flight}), so a stall costs every request that it held up; what was acknowledged is
 * remembered in bounded memory ({@link kaka.bench.AckLedger}) and compared with what can be read. No Akka; prints nothing. Read
 * {@link kaka.bench.Bench} first.
 */
package kaka.bench;
