package kaka.console;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a request's JSON into maps, lists, strings, longs, doubles, booleans and nulls. How many values there are is bounded, since each
 * takes many times its bytes: see {@link #costOf}.
 */
final class JsonBody {
  private static final int MAX_VALUES = 50_000;

  /** What a value takes beside its text, at most. */
  private static final int VALUE_BYTES = 96;

  /** Text is there as bytes, as a string, and once more where it becomes records. */
  private static final int COPIES = 4;

  private final JsonParser in;
  private int valueCount;

  private JsonBody(JsonParser in) {
    this.in = in;
  }

  /** What the memory budget is charged for a body of so many bytes, until it is answered. */
  static long costOf(long bodyBytes) {
    return COPIES * bodyBytes + VALUE_BYTES * Math.min(MAX_VALUES, bodyBytes / 2 + 1);
  }

  /** @throws ApiError if it is not one JSON object, or has too many values in it */
  static JsonFields parse(byte[] body) {
    try (JsonParser in = JsonWriter.FACTORY.createParser(body)) {
      JsonBody reading = new JsonBody(in);
      if (in.nextToken() != JsonToken.START_OBJECT) {
        throw ApiError.badRequest("the body: expected a JSON object");
      }
      Map<String, Object> fields = reading.object();
      if (in.nextToken() != null) {
        throw ApiError.badRequest("the body: more than one JSON object");
      }
      return new JsonFields("", fields);
    } catch (StreamConstraintsException e) {
      throw ApiError.badRequest("the body: nested too deep, or a number that is too long");
    } catch (JsonProcessingException e) {
      throw ApiError.badRequest("the body: no JSON at line " + e.getLocation().getLineNr() + ", column " + e.getLocation().getColumnNr()
          + ": " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new UncheckedIOException(e); // bytes in memory can be read
    }
  }

  private Map<String, Object> object() throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    while (in.nextToken() != JsonToken.END_OBJECT) {
      String name = in.currentName();
      in.nextToken();
      fields.put(name, value());
    }
    return fields;
  }

  private Object value() throws IOException {
    if (++valueCount > MAX_VALUES) {
      throw ApiError.of(413, "too_large", "the body has more than " + MAX_VALUES + " values");
    }
    return switch (in.currentToken()) {
      case START_OBJECT -> object();
      case START_ARRAY -> list();
      case VALUE_STRING -> in.getText();
      case VALUE_NUMBER_INT -> in.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? (Object) in.getDoubleValue() : in.getLongValue();
      case VALUE_NUMBER_FLOAT -> in.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> throw ApiError.badRequest("the body: unexpected " + in.currentToken());
    };
  }

  private List<Object> list() throws IOException {
    List<Object> values = new ArrayList<>();
    while (in.nextToken() != JsonToken.END_ARRAY) {
      values.add(value());
    }
    return values;
  }
}
