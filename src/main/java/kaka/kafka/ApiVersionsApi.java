package kaka.kafka;

import java.util.regex.Pattern;
import kaka.connection.Exchange;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.Errors;

/** API_VERSIONS: what {@link Apis} lists. A connection's first request, of whose versions the client knows nothing yet. */
final class ApiVersionsApi implements Api {
  /** KIP-511. */
  private static final Pattern SOFTWARE = Pattern.compile("[a-zA-Z0-9](?:[a-zA-Z0-9\\-.]*[a-zA-Z0-9])?");

  private static final short FIRST_WITH_SOFTWARE = 3;

  @Override
  public Exchange handle(Call call) {
    ApiVersionsRequestData request = call.request(ApiVersionsRequestData.class);
    boolean isSoftwareGood =
        call.version() < FIRST_WITH_SOFTWARE
            || SOFTWARE.matcher(request.clientSoftwareName()).matches()
                && SOFTWARE.matcher(request.clientSoftwareVersion()).matches();
    return Answer.of(call, response(isSoftwareGood ? misrouted(call, request) : Errors.INVALID_REQUEST));
  }

  /** KIP-1242: a client that takes this for another broker is told to look for it anew. */
  private static Errors misrouted(Call call, ApiVersionsRequestData request) {
    boolean isCluster = request.clusterId() == null || request.clusterId().equals(Node.clusterId(call));
    boolean isNode = request.nodeId() < 0 || request.nodeId() == Node.ID;
    return isCluster && isNode ? Errors.NONE : Errors.REBOOTSTRAP_REQUIRED;
  }

  /** For a request of a version that is not known: in version 0, which every client can read, with the list. */
  static ResponseFrame unsupportedVersion(int correlationId) {
    return new ResponseFrame(
        org.apache.kafka.common.protocol.ApiKeys.API_VERSIONS, (short) 0, correlationId, response(Errors.UNSUPPORTED_VERSION));
  }

  private static ApiVersionsResponseData response(Errors error) {
    return new ApiVersionsResponseData().setErrorCode(error.code()).setApiKeys(Apis.versions());
  }
}
