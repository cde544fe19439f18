package kaka.kafka;

import kaka.connection.Connection;
import kaka.connection.ConnectionInput;
import kaka.connection.ExchangeQueue;
import kaka.connection.FrontDoor;
import kaka.connection.Intake;

/** Apache Kafka's protocol. Its classes, Kafka's too, are loaded when the first client comes, so that a start is not slower. */
public final class KafkaDoor implements FrontDoor {
  private final KafkaConfig config;
  private final String dataDirectory;

  /** @param dataDirectory for people: where the records are */
  public KafkaDoor(KafkaConfig config, String dataDirectory) {
    this.config = config;
    this.dataDirectory = dataDirectory;
  }

  @Override
  public Intake open(Connection connection, ConnectionInput input, ExchangeQueue exchanges) {
    return new KafkaIntake(config, dataDirectory, connection, input, exchanges);
  }
}
