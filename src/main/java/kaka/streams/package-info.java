/**
 * Floor 3: kaka's client as stages of Akka Streams, for programs that are built of them; demand is the client's backpressure.
 *
 * <p>Nothing of kaka uses it. Read {@link kaka.streams.KakaStreams}.
 */
package kaka.streams;
