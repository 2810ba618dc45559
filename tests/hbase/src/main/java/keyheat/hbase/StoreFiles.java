package keyheat.hbase;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.FixedFileTrailer;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ChecksumType;

/** Existing rows in one store file, as HBase's own writer makes it: what they weigh under each block encoding. */
final class StoreFiles {
  private static final DataBlockEncoding[] ENCODINGS =
      {DataBlockEncoding.NONE, DataBlockEncoding.PREFIX, DataBlockEncoding.DIFF, DataBlockEncoding.FAST_DIFF};

  private static final int BYTES_PER_CHECKSUM = 16 * 1024;

  private final Exported export;
  private final Configuration conf = HBaseConfiguration.create();
  private final byte[] family;
  private final List<byte[]> qualifiers = new ArrayList<>();
  private final int valueBytes;

  StoreFiles(Exported export) {
    this.export = export;
    conf.setBoolean("hbase.defaults.for.version.skip", true);
    conf.set("fs.defaultFS", "file:///");
    family = Bytes.toBytes(export.settings.text("table.family"));
    export.settings.find("table.qualifiers").getAsJsonArray().forEach(name -> qualifiers.add(Bytes.toBytes(name.getAsString())));
    qualifiers.sort(Bytes.BYTES_COMPARATOR);
    valueBytes = (int) export.settings.bytes("table.value");
  }

  void measure(Measured out) throws IOException {
    List<Exported.Existing> rows = new ArrayList<>(export.existing);
    rows.sort((a, b) -> Bytes.compareTo(a.key(), b.key()));
    java.nio.file.Path folder = Files.createTempDirectory("store-files");
    FileSystem files = FileSystem.getLocal(conf).getRawFileSystem();
    Path path = new Path(new Path(folder.toUri()), "file");
    KeyValue cell = cell(rows.get(0), 0, 0);
    out.say(export, "cell_bytes", Measured.Kind.EXACT, cell.getLength());
    Put put = new Put(rows.get(0).key());
    for (byte[] qualifier : qualifiers) {
      put.addColumn(family, qualifier, new byte[valueBytes]);
    }
    out.say(export, "mutation_heap", Measured.Kind.EXACT, put.heapSize());
    for (DataBlockEncoding encoding : ENCODINGS) {
      String name = encoding.name().toLowerCase(Locale.ROOT).replace('_', '-') + ".";
      FixedFileTrailer plain = write(files, path, rows, encoding, BloomType.NONE);
      long length = files.getFileStatus(path).getLen();
      double data = plain.getLoadOnOpenDataOffset();
      out.say(export, name + "row_bytes", Measured.Kind.FILE_SIZE, data / rows.size());
      out.say(export, name + "block_index_bytes", Measured.Kind.FILE_SIZE, onDisk(plain.getUncompressedDataIndexSize()));
      if (encoding == DataBlockEncoding.NONE) {
        write(files, path, rows, encoding, BloomType.ROW);
        out.say(export, "bloom_bytes", Measured.Kind.FILE_SIZE, (double) files.getFileStatus(path).getLen() - length);
      }
    }
    files.delete(path, false);
    Files.delete(folder);
  }

  /** Of an index of one block: with its header, and a checksum for each 16 KB. */
  private static double onDisk(long bytes) {
    double block = HConstants.HFILEBLOCK_HEADER_SIZE + bytes;
    return block + 4 * Math.ceil(block / BYTES_PER_CHECKSUM);
  }

  private KeyValue cell(Exported.Existing row, int column, int n) {
    byte[] value = new byte[valueBytes];
    new java.util.SplittableRandom(n).nextBytes(value);
    return new KeyValue(row.key(), family, qualifiers.get(column), row.writtenMs(), value);
  }

  /** As HStore makes it of rows that were compacted after five days: without sequence numbers. */
  private FixedFileTrailer write(FileSystem files, Path path, List<Exported.Existing> rows, DataBlockEncoding encoding, BloomType bloom)
      throws IOException {
    HFileContext context = new HFileContextBuilder().withIncludesMvcc(true).withHBaseCheckSum(true)
        .withChecksumType(ChecksumType.getDefaultChecksumType()).withBytesPerCheckSum(BYTES_PER_CHECKSUM).withBlockSize(64 * 1024)
        .withDataBlockEncoding(encoding).withColumnFamily(family).withTableName(Bytes.toBytes("t")).build();
    files.delete(path, false);
    StoreFileWriter writer = new StoreFileWriter.Builder(conf, CacheConfig.DISABLED, files).withFilePath(path).withBloomType(bloom)
        .withMaxKeyCount((long) rows.size() * qualifiers.size()).withFileContext(context).build();
    int n = 0;
    for (Exported.Existing row : rows) {
      for (int column = 0; column < qualifiers.size(); column++) {
        KeyValue cell = cell(row, column, n++);
        cell.setSequenceId(0);
        writer.append(cell);
      }
    }
    writer.appendMetadata(n, false);
    writer.close();
    try (HFile.Reader reader = HFile.createReader(files, path, CacheConfig.DISABLED, true, conf)) {
      return reader.getTrailer();
    }
  }
}
