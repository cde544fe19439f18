/**
 * Floor 2: native producer and consumer, plain Java; uses protocol.
 *
 * <p>Invariants: one thread per {@link kaka.client.KakaClient}, whatever the number of its connections, and no other owner of
 * their state; a request takes a credit of its connection's window and gives it back with its reply; the records of a
 * partition are sent in the order in which they were given; what was not acknowledged is reported, and never sent a second
 * time unless it is certain that the broker stored nothing; every buffer has a limit. No Akka, no logging: what happens is
 * told through futures and exceptions. Read {@link kaka.client.KakaClient} first, then {@code Connection}.
 */
package kaka.client;
