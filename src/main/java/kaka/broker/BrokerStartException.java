package kaka.broker;

/** The broker did not start; the message is one line for whoever started it. */
public final class BrokerStartException extends Exception {
  private static final long serialVersionUID = 1;

  public BrokerStartException(String message, Throwable cause) {
    super(message, cause);
  }
}
