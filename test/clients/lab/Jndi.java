// The journey of JNDI, the client that comes with Java.

import java.io.FileInputStream;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.naming.CommunicationException;
import javax.naming.Context;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.directory.Attributes;
import javax.naming.directory.BasicAttribute;
import javax.naming.directory.BasicAttributes;
import javax.naming.directory.DirContext;
import javax.naming.directory.ModificationItem;
import javax.naming.directory.SearchControls;
import javax.naming.directory.SearchResult;
import javax.naming.event.EventContext;
import javax.naming.event.EventDirContext;
import javax.naming.event.NamespaceChangeListener;
import javax.naming.event.NamingEvent;
import javax.naming.event.NamingExceptionEvent;
import javax.naming.ldap.BasicControl;
import javax.naming.ldap.Control;
import javax.naming.ldap.ExtendedRequest;
import javax.naming.ldap.ExtendedResponse;
import javax.naming.ldap.InitialLdapContext;
import javax.naming.ldap.LdapContext;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.PagedResultsControl;
import javax.naming.ldap.PagedResultsResponseControl;
import javax.naming.ldap.Rdn;
import javax.naming.ldap.SortControl;
import javax.naming.ldap.SortKey;
import javax.naming.ldap.SortResponseControl;
import javax.naming.ldap.StartTlsRequest;
import javax.naming.ldap.StartTlsResponse;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

public class Jndi {
  static final boolean slapd = env("SERVER").equals("slapd");
  static final String suffix = env("SUFFIX");
  static final String lab = "ou=lab," + suffix;
  static final String row = "ou=row," + lab;
  static final String space = "ou=jndi," + lab;
  static final String person = env("PERSON");
  static final String personPassword = env("PERSON_PASSWORD");
  static final String plain = "ldap://" + env("HOST") + ":" + env("PORT");
  static final String secure = "ldaps://" + env("HOST") + ":" + env("TLS_PORT");
  static final Set<String> offered = new HashSet<>();
  static LdapContext admin;

  interface Body {
    void run() throws Exception;
  }

  static String env(String name) {
    return System.getenv("LAB_" + name);
  }

  static void same(Object got, Object wanted, String what) {
    if (!got.equals(wanted)) throw new AssertionError(what + " is " + got + ", not " + wanted);
  }

  static void holds(boolean truth, String what) {
    if (!truth) throw new AssertionError(what);
  }

  /** Runs a step at once; the needed OID or mechanism must stand in the root DSE. */
  static void step(String name, String needs, Body body) {
    if (needs != null && !offered.contains(needs)) {
      System.out.println("--\t" + name + "\t" + needs);
      return;
    }
    try {
      body.run();
      System.out.println("ok\t" + name);
    } catch (Throwable error) {
      StackTraceElement where = Arrays.stream(error.getStackTrace()).filter(at -> at.getMethodName().startsWith("lambda")).findFirst().orElse(null);
      System.out.println("no\t" + name + "\t" + (error + " (line " + (where == null ? "?" : where.getLineNumber()) + ")").replaceAll("\\s+", " "));
    }
  }

  /** The LDAP result code that a refusal names, as Java's users find it: in the message. */
  static NamingException refused(int code, Body body) throws Exception {
    try {
      body.run();
    } catch (NamingException answer) {
      Matcher found = Pattern.compile("error code (\\d+)").matcher(String.valueOf(answer.getMessage()));
      same(found.find() ? found.group(1) : "none (" + answer + ")", String.valueOf(code), "the result code");
      return answer;
    }
    throw new AssertionError("not refused with " + code);
  }

  static SSLContext trusting(boolean ours) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    if (ours) {
      try (FileInputStream file = new FileInputStream(env("CA"))) {
        store.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(file));
      }
    }
    TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  static Hashtable<String, String> settings(String url, String how, String name, String password) {
    Hashtable<String, String> settings = new Hashtable<>();
    settings.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.ldap.LdapCtxFactory");
    settings.put(Context.PROVIDER_URL, url);
    settings.put(Context.SECURITY_AUTHENTICATION, how);
    settings.put("java.naming.ldap.version", "3");
    settings.put("com.sun.jndi.ldap.read.timeout", "20000");
    if (name != null) settings.put(Context.SECURITY_PRINCIPAL, name);
    if (password != null) settings.put(Context.SECURITY_CREDENTIALS, password);
    return settings;
  }

  static LdapContext connected(String name, String password, String url) throws NamingException {
    return new InitialLdapContext(settings(url, name == null ? "none" : "simple", name, password), null);
  }

  static SearchControls scope(int scope, String... names) {
    return new SearchControls(scope, 0, 0, names.length == 0 ? new String[] {"1.1"} : names, false, false);
  }

  static List<SearchResult> all(NamingEnumeration<SearchResult> results) throws NamingException {
    List<SearchResult> list = new ArrayList<>();
    while (results.hasMore()) list.add(results.next());
    return list;
  }

  static List<String> found(String filter, String base) throws NamingException {
    return all(admin.search(base, filter, scope(SearchControls.SUBTREE_SCOPE))).stream().map(SearchResult::getNameInNamespace).sorted().toList();
  }

  static List<Object> values(String dn, String name) throws NamingException {
    Attribute attribute = admin.getAttributes(dn, new String[] {name}).get(name);
    List<Object> values = new ArrayList<>();
    for (int i = 0; attribute != null && i < attribute.size(); i++) values.add(attribute.get(i));
    return values;
  }

  static Attributes attributes(String... pairs) {
    Attributes attributes = new BasicAttributes(true);
    for (int i = 0; i < pairs.length; i += 2) {
      Attribute known = attributes.get(pairs[i]);
      if (known == null) attributes.put(pairs[i], pairs[i + 1]);
      else known.add(pairs[i + 1]);
    }
    return attributes;
  }

  static String addPerson(String uid, String parent, String... more) throws NamingException {
    String dn = "uid=" + uid + "," + parent;
    Attributes all = attributes(more);
    for (String[] pair : new String[][] {{"objectClass", "inetOrgPerson"}, {"uid", uid}, {"cn", "Somebody"}, {"sn", "S"}}) all.put(pair[0], pair[1]);
    admin.createSubcontext(dn, all).close();
    return dn;
  }

  static ModificationItem change(int kind, String name, Object... values) {
    Attribute attribute = new BasicAttribute(name);
    for (Object value : values) attribute.add(value);
    return new ModificationItem(kind, attribute);
  }

  static void modify(String dn, ModificationItem... items) throws NamingException {
    admin.modifyAttributes(dn, items);
  }

  public static void main(String[] args) throws Exception {
    System.setOut(new java.io.PrintStream(System.out, true, StandardCharsets.UTF_8));
    SSLContext.setDefault(trusting(true));
    admin = connected(env("ADMIN"), env("ADMIN_PASSWORD"), plain);
    admin.createSubcontext(space, attributes("objectClass", "organizationalUnit", "ou", "jndi")).close();
    reads();
    writes();
    step("errors: result codes in the library's exceptions, and matchedDN", null, Jndi::errors);
    controls();
    doors();
    System.out.println("end");
  }

  static void reads() {
    step("root DSE", null, () -> {
      String[] names = {"namingContexts", "supportedControl", "supportedExtension", "supportedFeatures", "supportedSASLMechanisms"};
      same(values("", "namingContexts"), List.of(suffix), "namingContexts");
      for (String url : new String[] {plain, secure}) {
        Attributes root = connected(null, null, url).getAttributes("", names);
        for (String name : names) {
          Attribute attribute = root.get(name);
          for (int i = 0; attribute != null && i < attribute.size(); i++) offered.add((String) attribute.get(i));
        }
      }
      if (slapd) offered.remove("PLAIN");
    });
    step("schema, read by the library", null, () -> {
      DirContext schema = admin.getSchema("");
      Attributes inetOrgPerson = schema.getAttributes("ClassDefinition/inetOrgPerson");
      same(inetOrgPerson.get("SUP").get(), "organizationalPerson", "the superior class");
      Set<Object> must = new TreeSet<>();
      Attribute musts = schema.getAttributes("ClassDefinition/person").get("MUST");
      for (int i = 0; i < musts.size(); i++) must.add(musts.get(i));
      same(must, Set.of("sn", "cn"), "what a person must have");
      same(schema.getAttributes("AttributeDefinition/uidNumber").get("SINGLE-VALUE").get(), "true", "uidNumber is single-valued");
      holds(schema.getAttributes("SyntaxDefinition/1.3.6.1.4.1.1466.115.121.1.15").size() > 0, "a syntax");
      holds(schema.getAttributes("MatchingRule/caseIgnoreMatch").size() > 0, "a matching rule");
      List<String> classes = all(admin.getSchemaClassDefinition(person).search("", null)).stream().map(SearchResult::getName).toList();
      holds(classes.contains("inetOrgPerson"), "the classes of an entry: " + classes);
    });
    step("bind: right, wrong, unknown, none, and again", null, () -> {
      connected(person, personPassword, plain).close();
      String wrong = refused(49, () -> connected(person, "wrong", plain)).getMessage();
      same(refused(49, () -> connected("uid=nobody," + lab, "wrong", plain)).getMessage(), wrong, "what is said of an unknown person");
      LdapContext held = connected(null, null, plain);
      held.addToEnvironment(Context.SECURITY_AUTHENTICATION, "simple");
      held.addToEnvironment(Context.SECURITY_PRINCIPAL, person);
      held.addToEnvironment(Context.SECURITY_CREDENTIALS, personPassword);
      held.reconnect(null);
      same(held.getAttributes(person, new String[] {"uid"}).get("uid").get(), "jmueller", "uid");
    });
    step("filters: umlauts, escapes, substrings, ranges, presence, not, extensible", null, () -> {
      String people = "ou=people," + suffix;
      for (String text : new String[] {"(cn=Jürgen Müller)", "(cn=jürgen  müller)", "(sn=M*ll*r)", "(sn:caseExactMatch:=Müller)", "(sn~=Müller)"})
        same(found("(&(uid=jmueller)" + text + ")", people), List.of(person), text);
      Object[] odd = {"Stars * and (brackets) and \\ backslash"};
      same(all(admin.search(people, "(description={0})", odd, scope(SearchControls.SUBTREE_SCOPE))).size(), 1, "the escaped filter");
      same(found("(uidNumber>=60021)", row).size(), 5, ">=");
      same(found("(uidNumber<=60003)", row).size(), 3, "<=");
      same(found("(&(uid=lab*)(!(uid=lab1*)))", row).size(), 15, "not");
      same(found("(ou:dn:=row)", row).size(), 26, ":dn:");
      same(found("(|(uid=lab01)(uid=lab02)(noSuchType=x))", row).size(), 2, "or with an undefined type");
      same(all(admin.search(row, "(objectClass=*)", scope(SearchControls.ONELEVEL_SCOPE))).size(), 25, "one level");
    });
    step("attributes: selected, none, all, operational", null, () -> {
      same(admin.getAttributes(person, new String[] {"SN", "mail"}).size(), 2, "selected");
      same(admin.getAttributes(person, new String[] {"1.1"}).size(), 0, "1.1");
      same(admin.getAttributes(person, new String[] {"@person"}).size(), slapd ? 5 : 4, "@person");
      Attributes operational = admin.getAttributes(person, new String[] {"+"});
      holds(operational.get("entryUUID") != null && operational.get("createTimestamp") != null && operational.get("cn") == null, "+");
    });
    step("lookup and list", null, () -> {
      same(((LdapContext) admin.lookup(row)).getNameInNamespace(), row, "lookup");
      int count = 0;
      for (NamingEnumeration<?> names = admin.list(row); names.hasMore(); names.next()) count++;
      same(count, 25, "list");
    });
    step("binary values", null, () -> {
      byte[] picture = new byte[259];
      for (int i = 0; i < 256; i++) picture[i + 3] = (byte) i;
      System.arraycopy(new byte[] {(byte) 0xff, (byte) 0xd8, (byte) 0xff}, 0, picture, 0, 3);
      holds(Arrays.equals((byte[]) values(person, "jpegPhoto").get(0), picture), "the picture is another one");
      byte[] large = new byte[310_000];
      Arrays.fill(large, (byte) 0xff);
      System.arraycopy(picture, 0, large, 0, picture.length);
      String dn = addPerson("large", space);
      modify(dn, change(DirContext.ADD_ATTRIBUTE, "jpegPhoto", (Object) large));
      holds(Arrays.equals((byte[]) values(dn, "jpegPhoto").get(0), large), "310 kB came back otherwise");
    });
    step("compare", null, () -> {
      // A search for one equality at one entry that asks for nothing is sent as a compare.
      SearchControls none = new SearchControls(SearchControls.OBJECT_SCOPE, 0, 0, new String[0], false, false);
      same(all(admin.search(person, "(sn={0})", new Object[] {"MÜLLER"}, none)).size(), 1, "compare by rule");
      same(all(admin.search(person, "(sn=Miller)", none)).size(), 0, "compare");
    });
  }

  static void writes() {
    step("add, modify, rename, move, delete", null, () -> {
      String inner = "ou=inner," + space;
      String outer = "ou=outer," + space;
      admin.createSubcontext(inner, attributes("objectClass", "organizationalUnit", "ou", "inner")).close();
      String alice = addPerson("alice", inner, "mail", "a@example.com", "mail", "b@example.com");
      modify(alice, change(DirContext.REMOVE_ATTRIBUTE, "mail", "a@example.com"), change(DirContext.ADD_ATTRIBUTE, "mail", "c@example.com"),
          change(DirContext.REPLACE_ATTRIBUTE, "title", "Dr.", "Prof."), change(DirContext.REPLACE_ATTRIBUTE, "cn", "Älice"));
      same(List.of(values(alice, "mail"), values(alice, "title"), values(alice, "cn")),
          List.of(List.of("b@example.com", "c@example.com"), List.of("Dr.", "Prof."), List.of("Älice")), "alice");
      admin.addToEnvironment("java.naming.ldap.deleteRDN", "false");
      admin.rename(inner, outer);
      admin.addToEnvironment("java.naming.ldap.deleteRDN", "true");
      same(found("(&(ou=inner)(ou=outer))", space), List.of(outer), "the old value stays");
      same(found("(uid=alice)", space), List.of("uid=alice," + outer), "what was below");
      admin.rename("uid=alice," + outer, "uid=Alicia," + space);
      same(found("(uid=alicia)", space), List.of("uid=Alicia," + space), "where it is");
      admin.destroySubcontext("uid=alicia," + space);
      same(found("(uid=alicia)", space), List.of(), "gone");
    });
    step("names with odd characters", null, () -> {
      String value = "#1 Ada, \"Countess\" + Lovelace; <x>=y / z";
      LdapName name = new LdapName(space);
      name.add(new Rdn("cn", value));
      admin.createSubcontext(name, attributes("objectClass", "person", "cn", value, "sn", "Lovelace")).close();
      same(new LdapName(found("(sn=lovelace)", space).get(0)), name, "the odd name");
      same(admin.getAttributes(name, new String[] {"cn"}).get("cn").get(), value, "its value");
    });
  }

  static void errors() throws Exception {
    NamingException answer = refused(32, () -> admin.getAttributes("cn=x,ou=nowhere," + lab));
    same(String.valueOf(answer.getRemainingName()), "cn=x,ou=nowhere," + lab, "the remaining name");
    String bob = addPerson("bob", space, "employeeNumber", "1");
    addPerson("ben", space);
    refused(68, () -> addPerson("bob", space));
    refused(32, () -> addPerson("x", "ou=nowhere," + space));
    refused(65, () -> admin.createSubcontext("uid=new," + space, attributes("objectClass", "inetOrgPerson", "uid", "new", "cn", "New")));
    refused(17, () -> modify(bob, change(DirContext.ADD_ATTRIBUTE, "favouriteColour", "teal")));
    refused(21, () -> modify(bob, change(DirContext.ADD_ATTRIBUTE, "manager", "no name")));
    refused(20, () -> modify(bob, change(DirContext.ADD_ATTRIBUTE, "cn", "SOMEBODY")));
    refused(16, () -> modify(bob, change(DirContext.REMOVE_ATTRIBUTE, "title")));
    refused(19, () -> modify(bob, change(DirContext.REPLACE_ATTRIBUTE, "employeeNumber", "1", "2")));
    refused(slapd ? 64 : 67, () -> modify(bob, change(DirContext.REMOVE_ATTRIBUTE, "uid", "bob")));
    refused(69, () -> modify(bob, change(DirContext.REPLACE_ATTRIBUTE, "objectClass", "organizationalUnit")));
    refused(66, () -> admin.destroySubcontext(space));
    refused(68, () -> admin.rename(bob, "uid=ben," + space));
    refused(50, () -> connected(person, personPassword, plain).destroySubcontext("cn=all-staff,ou=groups," + suffix));
    refused(12, () -> {
      LdapContext held = admin.newInstance(new Control[] {new BasicControl("1.2.3.4", true, null)});
      all(held.search(row, "(uid=*)", scope(SearchControls.SUBTREE_SCOPE)));
    });
    List<SearchResult> came = new ArrayList<>();
    refused(4, () -> {
      SearchControls few = new SearchControls(SearchControls.SUBTREE_SCOPE, 7, 0, null, false, false);
      NamingEnumeration<SearchResult> results = admin.search(row, "(uid=lab*)", few);
      while (results.hasMore()) came.add(results.next());
    });
    same(came.size(), 7, "what came before the size limit");
  }

  static void controls() {
    step("paged results", "1.2.840.113556.1.4.319", () -> {
      LdapContext held = connected(env("ADMIN"), env("ADMIN_PASSWORD"), plain);
      List<Integer> sizes = new ArrayList<>();
      byte[] cookie = null;
      do {
        held.setRequestControls(new Control[] {new PagedResultsControl(10, cookie, Control.CRITICAL)});
        sizes.add(all(held.search(row, "(uid=lab*)", scope(SearchControls.SUBTREE_SCOPE))).size());
        for (Control answer : held.getResponseControls()) cookie = ((PagedResultsResponseControl) answer).getCookie();
      } while (cookie != null);
      same(sizes, List.of(10, 10, 5), "the pages");
    });
    step("server-side sorting", "1.2.840.113556.1.4.473", () -> {
      LdapContext held = connected(env("ADMIN"), env("ADMIN_PASSWORD"), plain);
      held.setRequestControls(new Control[] {new SortControl(new SortKey[] {new SortKey("sn", true, "2.5.13.3")}, Control.CRITICAL)});
      List<String> names = new ArrayList<>();
      for (SearchResult one : all(held.search(row, "(uid=lab*)", scope(SearchControls.SUBTREE_SCOPE, "sn")))) names.add((String) one.getAttributes().get("sn").get());
      List<String> wanted = new ArrayList<>();
      for (int number = 1; number <= 25; number++) wanted.add(String.format("Reihe %02d", number));
      same(names, wanted, "sorted by sn");
      holds(((SortResponseControl) held.getResponseControls()[0]).isSorted(), "the sort result");
    });
    step("persistent search, by which the library tells of changes", "2.16.840.1.113730.3.4.3", () -> {
      CompletableFuture<String> told = new CompletableFuture<>();
      EventDirContext watched = (EventDirContext) connected(env("ADMIN"), env("ADMIN_PASSWORD"), plain).lookup(space);
      watched.addNamingListener("", EventContext.ONELEVEL_SCOPE, new NamespaceChangeListener() {
        @Override
        public void objectAdded(NamingEvent event) {
          told.complete(event.getNewBinding().getName());
        }

        @Override
        public void objectRemoved(NamingEvent event) {}

        @Override
        public void objectRenamed(NamingEvent event) {}

        @Override
        public void namingExceptionThrown(NamingExceptionEvent event) {
          told.completeExceptionally(event.getException());
        }
      });
      // The library does not tell when the watch stands: something changes until it is told.
      for (int i = 0; i < 50 && !told.isDone(); i++) {
        addPerson("watched" + i, space);
        try {
          told.get(400, TimeUnit.MILLISECONDS);
        } catch (java.util.concurrent.TimeoutException again) {
          continue;
        }
      }
      holds(told.get(1, TimeUnit.SECONDS).startsWith("uid=watched"), "what was seen");
    });
    step("who am I", "1.3.6.1.4.1.4203.1.11.3", () -> same(whoAmI(connected(person, personPassword, plain)), "dn:" + person, "who am I"));
    step("password modify", "1.3.6.1.4.1.4203.1.11.1", () -> {
      String dn = addPerson("carol", space);
      byte[] name = dn.getBytes(StandardCharsets.UTF_8);
      byte[] secret = "Second-secret-2".getBytes(StandardCharsets.UTF_8);
      // PasswdModifyRequestValue (RFC 3062 §2): userIdentity [0], newPasswd [2].
      java.io.ByteArrayOutputStream value = new java.io.ByteArrayOutputStream();
      value.write(new byte[] {0x30, (byte) (4 + name.length + secret.length), (byte) 0x80, (byte) name.length});
      value.write(name);
      value.write(new byte[] {(byte) 0x82, (byte) secret.length});
      value.write(secret);
      admin.extendedOperation(new Request("1.3.6.1.4.1.4203.1.11.1", value.toByteArray()));
      connected(dn, "Second-secret-2", plain).close();
    });
  }

  static void doors() {
    step("StartTLS", "1.3.6.1.4.1.1466.20037", () -> {
      LdapContext held = connected(null, null, plain);
      StartTlsResponse tls = (StartTlsResponse) held.extendedOperation(new StartTlsRequest());
      holds(tls.negotiate(trusting(true).getSocketFactory()).isValid(), "a session");
      held.addToEnvironment(Context.SECURITY_AUTHENTICATION, "simple");
      held.addToEnvironment(Context.SECURITY_PRINCIPAL, person);
      held.addToEnvironment(Context.SECURITY_CREDENTIALS, personPassword);
      same(whoAmI(held), "dn:" + person, "who am I over TLS");
      tls.close();
    });
    step("ldaps with ca.pem, and not without", null, () -> {
      same(whoAmI(connected(person, personPassword, secure)), "dn:" + person, "who am I");
      SSLContext.setDefault(trusting(false));
      try {
        connected(person, personPassword, secure);
        throw new AssertionError("an authority that nobody trusts is trusted");
      } catch (CommunicationException expected) {
        return;
      } finally {
        SSLContext.setDefault(trusting(true));
      }
    });
    step("SASL PLAIN over TLS", "PLAIN", () -> {
      same(whoAmI(new InitialLdapContext(settings(secure, "PLAIN", "jmueller", personPassword), null)), "dn:" + person, "who am I");
      refused(49, () -> new InitialLdapContext(settings(secure, "PLAIN", "jmueller", "wrong"), null));
    });
    step("tree delete", "1.2.840.113556.1.4.805", () -> {
      LdapContext held = connected(env("ADMIN"), env("ADMIN_PASSWORD"), plain);
      held.setRequestControls(new Control[] {new BasicControl("1.2.840.113556.1.4.805", true, null)});
      held.destroySubcontext(space);
      refused(32, () -> admin.getAttributes(space));
    });
  }

  static String whoAmI(LdapContext held) throws NamingException {
    return new String(held.extendedOperation(new Request("1.3.6.1.4.1.4203.1.11.3", null)).getEncodedValue(), StandardCharsets.UTF_8);
  }

  /** An extended request in octets, for which the library has no words of its own. */
  record Request(String getID, byte[] getEncodedValue) implements ExtendedRequest {
    @Override
    public ExtendedResponse createExtendedResponse(String id, byte[] octets, int offset, int length) {
      byte[] value = octets == null ? new byte[0] : Arrays.copyOfRange(octets, offset, offset + length);
      return new Response(id, value);
    }
  }

  record Response(String getID, byte[] getEncodedValue) implements ExtendedResponse {}
}
