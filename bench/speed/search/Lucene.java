// Lucene, as the benchmark asks it: documents and queries come in, CPU nanoseconds go out.
//
// It reads, from standard input: 'd' id, the texts of `anywhere`, title and url; 'c' to commit; 'q'
// kind, most, words. Texts are UTF-8 behind their length. It answers 'c' with the CPU time of the
// whole process, and 'q' with that of the query, then how many numbers it found, and these.

import com.sun.management.OperatingSystemMXBean;
import java.io.*;
import java.lang.management.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.*;
import org.apache.lucene.analysis.*;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.search.*;
import org.apache.lucene.store.FSDirectory;

class Lucene {
    static final String FIELD = "anywhere";
    static final Analyzer ANALYZER = new EnglishAnalyzer(CharArraySet.EMPTY_SET);
    static DataInputStream in = new DataInputStream(new BufferedInputStream(System.in, 1 << 20));
    static DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));

    public static void main(String[] arguments) throws Exception {
        var directory = FSDirectory.open(Path.of(arguments[0]));
        var settings = new IndexWriterConfig(ANALYZER);
        settings.setRAMBufferSizeMB(512).setMergeScheduler(new SerialMergeScheduler());
        var writer = new IndexWriter(directory, settings);
        var machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        IndexSearcher searcher = null;
        for (int order = in.read(); order >= 0; order = in.read()) {
            if (order == 'd') {
                writer.addDocument(document());
            } else if (order == 'c') {
                writer.commit();
                searcher = new IndexSearcher(DirectoryReader.open(directory));
                searcher.setQueryCache(null);
                out.writeLong(machine.getProcessCpuTime());
            } else {
                answer(searcher);
            }
            if (order != 'd') out.flush();
        }
    }

    static Document document() throws IOException {
        var document = new Document();
        document.add(new NumericDocValuesField("id", in.readInt()));
        int texts = in.readInt();
        for (int n = 0; n < texts; n++) {
            document.add(new TextField(FIELD, text(), Field.Store.NO));
        }
        document.add(new TextField("title", text(), Field.Store.NO));
        document.add(new TextField("url", text(), Field.Store.NO));
        return document;
    }

    static void answer(IndexSearcher searcher) throws IOException {
        String kind = text();
        int most = in.readInt();
        String[] words = new String[in.readInt()];
        for (int n = 0; n < words.length; n++) words[n] = text();
        var clock = ManagementFactory.getThreadMXBean();
        long started = clock.getCurrentThreadCpuTime();
        // Exact counts, as from the others.
        var best = TopScoreDocCollector.create(most, Integer.MAX_VALUE);
        searcher.search(query(kind, words), best);
        ScoreDoc[] hits = best.topDocs().scoreDocs;
        int[] ids = new int[hits.length];
        var leaves = searcher.getIndexReader().leaves();
        for (int n = 0; n < hits.length; n++) {
            var leaf = leaves.get(ReaderUtil.subIndex(hits[n].doc, leaves));
            var values = leaf.reader().getNumericDocValues("id");
            values.advanceExact(hits[n].doc - leaf.docBase);
            ids[n] = (int) values.longValue();
        }
        out.writeLong(clock.getCurrentThreadCpuTime() - started);
        out.writeInt(ids.length);
        for (int id : ids) out.writeInt(id);
    }

    static Query query(String kind, String[] words) throws IOException {
        if (kind.equals("prefix")) return new PrefixQuery(new Term(FIELD, words[0]));
        if (kind.equals("typo")) return new FuzzyQuery(new Term(FIELD, words[0]), 1);
        var terms = new ArrayList<String>();
        for (String word : words) {
            try (TokenStream stream = ANALYZER.tokenStream(FIELD, word)) {
                var term = stream.addAttribute(CharTermAttribute.class);
                stream.reset();
                while (stream.incrementToken()) terms.add(term.toString());
                stream.end();
            }
        }
        if (kind.equals("phrase")) return new PhraseQuery(FIELD, terms.toArray(new String[0]));
        var occur = kind.equals("3 OR") ? BooleanClause.Occur.SHOULD : BooleanClause.Occur.MUST;
        var query = new BooleanQuery.Builder();
        for (String term : terms) query.add(new TermQuery(new Term(FIELD, term)), occur);
        return query.build();
    }

    static String text() throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
