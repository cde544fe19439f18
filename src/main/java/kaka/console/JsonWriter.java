package kaka.console;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.OptionalLong;

/** Writes one JSON object, field by field, as UTF-8. A field's name comes with its value; in arrays values stand alone. */
final class JsonWriter {
  /** For readers too: nobody of ours nests deeper, and no number is longer. */
  static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(16).maxNumberLength(32).build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  @FunctionalInterface
  private interface Step {
    void on(JsonGenerator out) throws IOException;
  }

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final JsonGenerator out;

  /** The object is open. */
  JsonWriter() {
    try {
      out = FACTORY.createGenerator(bytes);
      out.writeStartObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A text, or null. */
  JsonWriter put(String name, String text) {
    return step(json -> json.writeStringField(name, text));
  }

  JsonWriter put(String name, long number) {
    return step(json -> json.writeNumberField(name, number));
  }

  JsonWriter put(String name, boolean flag) {
    return step(json -> json.writeBooleanField(name, flag));
  }

  /** The number, or null. */
  JsonWriter put(String name, OptionalLong number) {
    return number.isPresent() ? put(name, number.getAsLong()) : putNull(name);
  }

  /** The text, or null. */
  JsonWriter put(String name, Optional<String> text) {
    return put(name, text.orElse(null));
  }

  JsonWriter putNull(String name) {
    return step(json -> json.writeNullField(name));
  }

  JsonWriter value(String text) {
    return step(json -> json.writeString(text));
  }

  JsonWriter value(long number) {
    return step(json -> json.writeNumber(number));
  }

  JsonWriter value(double number) {
    return step(json -> json.writeNumber(number));
  }

  /** Opens an object that is a field's value. */
  JsonWriter object(String name) {
    return step(json -> json.writeObjectFieldStart(name));
  }

  /** Opens an object in an array. */
  JsonWriter object() {
    return step(JsonGenerator::writeStartObject);
  }

  /** Closes the object that was opened last. */
  JsonWriter end() {
    return step(JsonGenerator::writeEndObject);
  }

  JsonWriter array(String name) {
    return step(json -> json.writeArrayFieldStart(name));
  }

  JsonWriter endArray() {
    return step(JsonGenerator::writeEndArray);
  }

  /** Bytes written so far. */
  int sizeBytes() {
    step(JsonGenerator::flush);
    return bytes.size();
  }

  /** All of it, closed, with a line feed behind; nothing can follow. */
  byte[] toBytes() {
    step(JsonGenerator::writeEndObject).step(JsonGenerator::close);
    bytes.write('\n');
    return bytes.toByteArray();
  }

  private JsonWriter step(Step step) {
    try {
      step.on(out);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e); // bytes in memory take all
    }
  }
}
