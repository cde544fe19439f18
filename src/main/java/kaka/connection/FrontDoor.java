package kaka.connection;

/** One of the protocols that the port speaks. A connection's first frame says which one it is, and it stays so. */
public interface FrontDoor {
  /**
   * The protocol's side of a new connection.
   *
   * @param input where the frames come from, for whoever charges what they are made into
   * @param exchanges where the answers stand in the order of their requests
   */
  Intake open(Connection connection, ConnectionInput input, ExchangeQueue exchanges);
}
