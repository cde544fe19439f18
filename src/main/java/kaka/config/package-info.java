/**
 * Floor 6: application.conf and its rivals become one tree of checked records; the only reader of HOCON.
 *
 * <p>Invariants: a default stands in {@code reference.conf} and nowhere else; a key that is not there is refused; what a
 * {@link kaka.config.KakaConfig} holds has been checked. Read {@link kaka.config.KakaConfig} first, then
 * {@link kaka.config.Settings}.
 */
package kaka.config;
