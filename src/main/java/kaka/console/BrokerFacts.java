package kaka.console;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import kaka.connection.OpenConnections;
import kaka.group.GroupHandle;
import kaka.log.DescriptorBudget;
import kaka.log.DataDirectory;
import kaka.log.LogConfig;
import kaka.metrics.BrokerMetrics;
import kaka.metrics.Exposition;
import kaka.partition.CompactionShare;
import kaka.partition.MemoryBudget;
import kaka.quota.Quotas;
import kaka.topic.Routes;

/**
 * Everything of a broker that can be looked at without asking anybody.
 *
 * @param startMs when it was started, in milliseconds since 1970
 * @param durability as the ready line says it
 * @param minFreeBytes below so many free bytes on the disk produces are refused
 * @param maxConnections that may be open at a time
 * @param limits how often each limit of connections was met
 * @param windowRequests that a connection may have in flight
 * @param windowBytes that a connection may have in flight
 * @param brokerLog what topics' own settings are put over
 * @param settings in force
 * @param quotas of clients, of which those who use the API are one
 * @param more numbers of what the console does not know
 * @param transactionsProblem why there are no transactions; empty if there are
 */
public record BrokerFacts(
    String version,
    long startMs,
    String durability,
    Lifecycle lifecycle,
    BrokerMetrics metrics,
    Routes routes,
    GroupHandle groups,
    Supplier<String> transactionsProblem,
    MemoryBudget memory,
    CompactionShare compaction,
    DescriptorBudget descriptors,
    DataDirectory directory,
    long minFreeBytes,
    int maxConnections,
    Supplier<Map<String, Long>> limits,
    OpenConnections connections,
    int windowRequests,
    long windowBytes,
    LogConfig brokerLog,
    List<SettingInForce> settings,
    Quotas quotas,
    Exposition.Source more) {}
