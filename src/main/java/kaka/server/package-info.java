/**
 * Floor 5: the native front door: makes an exchange of every native frame, and its answer.
 *
 * <p>Invariants: requests take effect in their order; a fetch holds a few slices, however much it asks for. Read
 * {@link kaka.server.RequestIntake} first.
 */
package kaka.server;
