package kaka.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.connection.Exchange;
import kaka.log.Isolation;
import kaka.topic.TopicRoute;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * FETCH: the stored batches as they are. There are no fetch sessions: every answer has session id 0, after which a client
 * names all its partitions each time (KIP-227).
 */
final class FetchApi implements Api {
  private static final int FIRST_EPOCH = 0;
  private static final int NO_SESSION = -1;

  @Override
  public Exchange handle(Call call) {
    FetchRequestData request = call.request(FetchRequestData.class);
    if (request.sessionId() != 0 || request.sessionEpoch() != FIRST_EPOCH && request.sessionEpoch() != NO_SESSION) {
      Errors error =
          request.sessionId() != 0 ? Errors.FETCH_SESSION_ID_NOT_FOUND : Errors.INVALID_FETCH_SESSION_EPOCH;
      return Answer.of(call, new FetchResponseData().setErrorCode(error.code()));
    }
    Topics topics = call.topics();
    Isolation isolation = KafkaIsolation.of(request.isolationLevel());
    List<FetchedPartition> partitions = new ArrayList<>();
    for (FetchTopic topic : request.topics()) {
      Optional<TopicRoute> route = topics.find(topic.topic(), topic.topicId());
      for (FetchPartition partition : topic.partitions()) {
        partitions.add(
            new FetchedPartition(topic, partition, route.flatMap(found -> found.partition(partition.partition())), route.isPresent(), isolation));
      }
    }
    int maxBytes = Math.min(Math.max(0, request.maxBytes()), call.services().config().maxFetchBytes());
    return new FetchExchange(call, request, partitions, maxBytes);
  }
}
