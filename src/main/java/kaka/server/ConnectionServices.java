package kaka.server;

import akka.actor.typed.ActorRef;
import java.time.Clock;
import java.util.UUID;
import java.util.concurrent.Executor;
import kaka.partition.MemoryBudget;
import kaka.topic.Routes;
import kaka.topic.TopicRegistry;
import kaka.log.LogConfig;

/**
 * What every connection works with.
 *
 * @param brokerLog the broker-wide log settings, for showing a topic's own over them
 * @param fetchIo where disk reads run; they block
 */
public record ConnectionServices(
    ServerConfig config,
    LogConfig brokerLog,
    Routes routes,
    ActorRef<TopicRegistry.Command> registry,
    MemoryBudget memory,
    Executor fetchIo,
    Clock clock,
    UUID brokerId,
    String brokerVersion) {}
