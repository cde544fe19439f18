package kaka.topic;

import java.nio.file.Path;
import java.time.Clock;
import kaka.log.DescriptorBudget;
import kaka.log.Disk;
import kaka.log.LogConfig;
import kaka.partition.PartitionSettings;

/** What the registry stands on, and gives to each partition. */
public record TopicStorage(
    Disk disk,
    Path dataDirectory,
    LogConfig log,
    PartitionSettings partitions,
    Clock clock,
    DescriptorBudget descriptors) {}
