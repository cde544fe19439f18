package kaka.log;

import java.util.OptionalLong;

/**
 * What a segment looks like from outside.
 *
 * @param nextOffset one past its last offset
 * @param isActive whether it still grows
 * @param maxTimestampMs its greatest timestamp; empty if it has none
 * @param lastModifiedMs when it was last written; empty for the active one
 * @param indexBytes of its offset index's file; empty where there is none, as of the active one
 * @param timeIndexBytes of its time index's file, as {@code indexBytes}
 */
public record SegmentView(
    long baseOffset,
    long nextOffset,
    int sizeBytes,
    boolean isActive,
    OptionalLong maxTimestampMs,
    OptionalLong lastModifiedMs,
    OptionalLong indexBytes,
    OptionalLong timeIndexBytes) {}
