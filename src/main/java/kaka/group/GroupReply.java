package kaka.group;

/** What the {@link GroupCoordinator} answers; {@code correlationId} is the asker's own, given back. */
public record GroupReply(long correlationId, GroupResult result) {}
