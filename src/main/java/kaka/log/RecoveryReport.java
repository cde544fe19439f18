package kaka.log;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What opening a log took and found.
 *
 * @param scannedBytes read and CRC-checked, of the newest segment unless a clean stop saved that, and of those whose index was
 *     rebuilt
 * @param rewrittenBytes written again in place and synced, because no sync of theirs is known
 * @param cutBytes of a torn tail, taken off the newest segment
 * @param cutFile where they are kept, if there were any
 * @param rebuiltIndexCount segments whose index was missing or wrong
 * @param deletedSegmentCount segments below the log start, whose deletion a crash had interrupted
 */
public record RecoveryReport(
    long scannedBytes,
    long rewrittenBytes,
    long cutBytes,
    Optional<Path> cutFile,
    int rebuiltIndexCount,
    int deletedSegmentCount,
    Duration duration) {}
