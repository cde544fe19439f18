package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResultCollection;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopicCollection;
import org.apache.kafka.common.utils.internals.ImplicitLinkedHashCollection.Element;
import org.junit.jupiter.api.Test;

/** An element knows the place of the next one: where each has gone is seen, and so that it was the first place that was looked at. */
class PlacesTest {
  /** Every other place, from the first on: nobody had to look twice, and none was moved. */
  private static void assertOwnPlaces(Iterable<? extends Element> elements) {
    List<Integer> next = new ArrayList<>();
    elements.forEach(element -> next.add(element.next()));
    for (int i = 0; i < next.size() - 1; i++) {
      assertEquals(2 * (i + 1), next.get(i), "place of the element after number " + i);
    }
  }

  @Test
  void namesOfOneHashHaveAPlaceEach() {
    for (int count : new int[] {1, 2, 3, 4, 5, 10, 999, 1001, 5000}) {
      MetadataResponseTopicCollection topics = new MetadataResponseTopicCollection(Places.room(count));
      List<String> names = KafkaCollidingRequests.ofOneHash(0, count);

      names.forEach(name -> Places.add(topics, new MetadataResponseTopic(), MetadataResponseTopic::setName, name));

      assertOwnPlaces(topics);
      assertEquals(names, topics.stream().map(MetadataResponseTopic::name).toList());
    }
  }

  @Test
  void theSameNumberAgainAndAgainHasAPlaceEach() {
    DeleteRecordsPartitionResultCollection partitions = new DeleteRecordsPartitionResultCollection(Places.room(5000));

    for (int i = 0; i < 5000; i++) {
      Places.add(partitions, new DeleteRecordsPartitionResult(), DeleteRecordsPartitionResult::setPartitionIndex, 7);
    }

    assertOwnPlaces(partitions);
    assertEquals(5000, partitions.stream().filter(partition -> partition.partitionIndex() == 7).count());
  }
}
