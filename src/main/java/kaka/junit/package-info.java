/**
 * Floor 8: a broker for the tests of programs that use one, as an extension of JUnit 5.
 *
 * <p>Nothing of kaka uses it, so that JUnit is needed only where this is. Read {@link kaka.junit.KakaExtension}.
 */
package kaka.junit;
