package kaka.record;

/**
 * One header of a record.
 *
 * @param key its name
 * @param value its bytes, or null: Kafka's format has null header values
 */
public record Header(String key, byte[] value) {}
