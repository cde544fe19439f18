package kaka.console;

/**
 * A setting of the broker's, as it was started with it.
 *
 * @param value as it stands in HOCON
 * @param source where it came from: default, a file and line, a variable, a flag
 */
public record SettingInForce(String name, String value, String source) {}
