package kaka.log;

/**
 * A record, and when it was made.
 *
 * @param timestampMs in milliseconds since 1970
 */
public record TimedOffset(long offset, long timestampMs) {}
