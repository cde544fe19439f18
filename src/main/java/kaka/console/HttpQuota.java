package kaka.console;

import java.net.InetAddress;
import java.time.Duration;
import kaka.quota.Quotas;

/**
 * The API's part in the quotas. All who produce and consume by HTTP are one client, called {@value #CLIENT_ID}, where client ids tell
 * clients apart, and that of their address where addresses do. A request that comes while that client owes something is refused, and
 * told when to come again: there are too few connections for any of them to be held up. One that comes in time is answered whole.
 *
 * @param address where the request comes from
 */
record HttpQuota(Quotas quotas, InetAddress address) {
  static final String CLIENT_ID = "http";

  private String client() {
    return quotas.nameOf(CLIENT_ID, address.getHostAddress());
  }

  /** @throws ApiError if the client has to wait with such a request */
  void admit(ApiRoute.Moves moves) {
    Duration owed = switch (moves) {
      case NO_RECORDS -> Duration.ZERO;
      case RECORDS_IN -> quotas.produceOwed(client());
      case RECORDS_OUT -> quotas.fetchOwed(client());
    };
    if (!owed.isZero()) {
      throw ApiError.throttled(client(), moves == ApiRoute.Moves.RECORDS_IN ? "produced" : "fetched", owed);
    }
  }

  /** A body of so many bytes has come. */
  void received(ApiRoute.Moves moves, long bytes) {
    if (moves == ApiRoute.Moves.RECORDS_IN) {
      quotas.produced(client(), bytes);
    }
  }

  /** An answer of so many bytes goes out. */
  void sent(ApiRoute.Moves moves, long bytes) {
    if (moves == ApiRoute.Moves.RECORDS_OUT) {
      quotas.fetched(client(), bytes);
    }
  }
}
