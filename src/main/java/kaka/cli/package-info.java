/**
 * Floor 8: the command line; the only code that prints or exits.
 *
 * <p>Invariants: exit code 0 is done or asked to stop, 1 failed, 2 usage or configuration; what goes wrong is one line on
 * stderr; only {@code serve} loads Akka, so that client commands start quickly. Read {@link kaka.cli.Main} first.
 */
package kaka.cli;
