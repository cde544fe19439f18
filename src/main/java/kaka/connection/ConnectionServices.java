package kaka.connection;

import akka.actor.typed.ActorRef;
import java.time.Clock;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import kaka.group.GroupHandle;
import kaka.log.LogConfig;
import kaka.log.ProducerIds;
import kaka.metrics.BrokerMetrics;
import kaka.partition.MemoryBudget;
import kaka.quota.Quotas;
import kaka.topic.Routes;
import kaka.topic.TopicRegistry;
import kaka.transaction.TransactionHandle;

/**
 * What every connection works with.
 *
 * @param brokerLog the broker-wide log settings, for showing a topic's own over them
 * @param slices of all large answers together, which share {@code memory} with everything else
 * @param mayAccept whether a file descriptor is left for one more connection; asked once before each
 * @param producerIds blocks now and then: ask it where disk reads run
 * @param fetchIo where disk reads run; they block
 * @param checks where batches are checked that take too long for the threads that serve sockets
 */
public record ConnectionServices(
    ServerConfig config,
    FrontDoor nativeDoor,
    FrontDoor kafkaDoor,
    LogConfig brokerLog,
    Routes routes,
    ActorRef<TopicRegistry.Command> registry,
    GroupHandle groups,
    TransactionHandle transactions,
    MemoryBudget memory,
    SliceSizes slices,
    ConnectionCounts counts,
    Quotas quotas,
    BrokerMetrics metrics,
    BooleanSupplier mayAccept,
    ProducerIds producerIds,
    Executor fetchIo,
    CheckThreads checks,
    Clock clock,
    UUID brokerId,
    String brokerVersion) {}
