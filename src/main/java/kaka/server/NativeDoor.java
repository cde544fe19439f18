package kaka.server;

import kaka.connection.Connection;
import kaka.connection.ConnectionInput;
import kaka.connection.ExchangeQueue;
import kaka.connection.FrontDoor;
import kaka.connection.Intake;

/** The native protocol, as PROTOCOL.md specifies it. */
public final class NativeDoor implements FrontDoor {
  @Override
  public Intake open(Connection connection, ConnectionInput input, ExchangeQueue exchanges) {
    return new RequestIntake(connection, input, exchanges);
  }
}
