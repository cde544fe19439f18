package kaka.kafka;

import kaka.connection.Exchange;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData.DescribeClusterBroker;
import org.apache.kafka.common.protocol.Errors;

/** DESCRIBE_CLUSTER: this broker, alone. */
final class DescribeClusterApi implements Api {
  private static final byte BROKERS = 1;

  @Override
  public Exchange handle(Call call) {
    DescribeClusterRequestData request = call.request(DescribeClusterRequestData.class);
    DescribeClusterResponseData response = new DescribeClusterResponseData();
    if (request.endpointType() != BROKERS) {
      response
          .setErrorCode(Errors.UNSUPPORTED_ENDPOINT_TYPE.code())
          .setErrorMessage("there is no controller apart from the broker");
    } else {
      response.setClusterId(Node.clusterId(call)).setControllerId(Node.ID);
      response
          .brokers()
          .add(new DescribeClusterBroker().setBrokerId(Node.ID).setHost(call.host()).setPort(call.port()));
    }
    return Answer.of(call, response);
  }
}
