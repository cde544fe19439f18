/**
 * Floor 7: the running broker: the guardian that spawns and supervises, names the dispatchers, and the order of start and
 * stop.
 *
 * <p>Invariants: nothing is listened to before every partition has opened or failed; nothing is closed before what was asked
 * is answered. Prints nothing and never exits the JVM. Read {@link kaka.broker.Broker} first.
 */
package kaka.broker;
