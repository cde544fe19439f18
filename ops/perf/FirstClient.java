import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** What most do with a broker first, by Kafka's own clients: create a topic, produce a record, consume it in a group. */
public final class FirstClient {
  /** @param args the broker's address */
  public static void main(String[] args) throws Exception {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", args[0]);
    properties.put("group.id", "first");
    properties.put("auto.offset.reset", "earliest");
    try (Admin admin = Admin.create(properties)) {
      admin.listTopics().names().get();
      admin.createTopics(List.of(new NewTopic("first", 1, (short) 1))).all().get();
    }
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer())) {
      producer.send(new ProducerRecord<>("first", "key", "value")).get();
    }
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of("first"));
      while (consumer.poll(Duration.ofSeconds(1)).isEmpty()) {}
      consumer.commitSync();
    }
  }
}
