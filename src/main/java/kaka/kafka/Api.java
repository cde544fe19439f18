package kaka.kafka;

import kaka.connection.Exchange;

/** What one kind of request means. It holds no state: that is in the exchange. */
@FunctionalInterface
interface Api {
  /** The exchange that answers the call, in its turn. */
  Exchange handle(Call call);
}
