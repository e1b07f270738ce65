"""The journey of python3-ldap, OpenLDAP's own library from Python."""

import urllib.parse

import ldap
import ldap.dn
import ldap.extop
import ldap.modlist
import ldap.sasl
import ldap.schema
import ldap.syncrepl
from ldap.controls import RequestControl, RequestControlTuples, SimplePagedResultsControl
from ldap.controls.deref import DereferenceControl
from ldap.controls.libldap import AssertionControl, MatchedValuesControl
from ldap.controls.psearch import EntryChangeNotificationControl, PersistentSearchControl
from ldap.controls.readentry import PostReadControl, PreReadControl
from ldap.controls.sessiontrack import SESSION_TRACKING_FORMAT_OID_USERNAME, SessionTrackingControl
from ldap.controls.simple import ManageDSAITControl, ProxyAuthzControl
from ldap.controls.sss import SSSRequestControl
from ldap.controls.vlv import VLVRequestControl
from ldap.filter import escape_filter_chars

from lab import ADMIN, ADMIN_PASSWORD, CA, CLIENT_CERT, CLIENT_KEY, HOST, LAB, NOT_OF_SLAPD, NOT_ON_RDN, PERSON, PERSON_PASSWORD
from lab import PICTURE, PORT, ROW, SLAPD, SOCKET, SUFFIX, TLS_PORT, end, holds, offered, same, step

SPACE = "ou=python3-ldap," + LAB
PLAIN = "ldap://%s:%d" % (HOST, PORT)
SECURE = "ldaps://%s:%d" % (HOST, TLS_PORT)
SORT = "1.2.840.113556.1.4.473"
BY_SN = "sn:2.5.13.3"


def open_to(url=PLAIN, ca=CA):
    held = ldap.initialize(url)
    held.set_option(ldap.OPT_REFERRALS, 0)
    held.set_option(ldap.OPT_NETWORK_TIMEOUT, 20)
    held.set_option(ldap.OPT_TIMEOUT, 20)
    if ca is not None:
        held.set_option(ldap.OPT_X_TLS_CACERTFILE, ca)
    held.set_option(ldap.OPT_X_TLS_REQUIRE_CERT, ldap.OPT_X_TLS_DEMAND)
    held.set_option(ldap.OPT_X_TLS_NEWCTX, 0)
    return held


def connect(user=ADMIN, password=ADMIN_PASSWORD, url=PLAIN):
    held = open_to(url)
    held.simple_bind_s(user, password)
    return held


def refused(error, act):
    """The error that the library raises for a result code, with what the server told."""
    try:
        act()
    except error as answer:
        return answer.args[0]
    except ldap.LDAPError as answer:
        raise AssertionError("%s, not %s: %r" % (type(answer).__name__, error.__name__, answer.args[0]))
    raise AssertionError("not refused with " + error.__name__)


def read(dn, *attributes):
    return admin.search_s(dn, ldap.SCOPE_BASE, "(objectClass=*)", list(attributes) or None)[0][1]


def found(text, base=LAB, scope=ldap.SCOPE_SUBTREE, attributes=("1.1",)):
    return [dn for dn, _ in admin.search_s(base, scope, text, list(attributes)) if dn is not None]


def asked(base, text, attributes, *controls):
    """A search with controls: the entries, and the controls of its answer by their OIDs."""
    number = admin.search_ext(base, ldap.SCOPE_SUBTREE, text, attributes, serverctrls=list(controls))
    _, entries, _, answers = admin.result3(number)
    return entries, {control.controlType: control for control in answers}


def person(dn, **more):
    values = {"objectClass": [b"inetOrgPerson"], "cn": [b"Somebody"], "sn": [b"S"]}
    values["uid"] = [ldap.dn.str2dn(dn)[0][0][1].encode()]
    values.update({name: [value] for name, value in more.items()})
    admin.add_s(dn, ldap.modlist.addModlist(values))
    return dn


admin = connect()
admin.add_s(SPACE, [("objectClass", b"organizationalUnit"), ("ou", b"python3-ldap")])


@step("root DSE, read by the library")
def _():
    root = admin.read_rootdse_s(attrlist=["*", "+"])
    same(root["namingContexts"], [SUFFIX.encode()], "namingContexts")
    same(admin.get_naming_contexts(), [SUFFIX.encode()], "get_naming_contexts")
    over_tls = open_to(SECURE).read_rootdse_s(attrlist=["supportedSASLMechanisms"])
    for name in ["supportedControl", "supportedExtension", "supportedFeatures", "supportedSASLMechanisms"]:
        offered.update(value.decode() for value in root.get(name, []) + over_tls.get(name, []))
    if SLAPD:
        offered.difference_update(NOT_OF_SLAPD)


@step("schema, read by the library")
def _():
    name, schema = ldap.schema.subentry.urlfetch("%s/" % PLAIN, trace_level=0)
    holds(name, "the name of the subschema subentry")
    must, may = schema.attribute_types(["inetOrgPerson"])
    same(sorted(kind.names[0] for kind in must.values()), ["cn", "objectClass", "sn"], "what an inetOrgPerson must have")
    holds("jpegPhoto" in [kind.names[0] for kind in may.values()], "what it may have")
    classes = ["top", "person", "organizationalPerson", "inetOrgPerson", "posixAccount"]
    same(schema.get_structural_oc(classes), schema.getoid(ldap.schema.ObjectClass, "inetOrgPerson"), "the structural class")
    same(schema.get_inheritedobj(ldap.schema.AttributeType, "sn", ["syntax"]).syntax, "1.3.6.1.4.1.1466.115.121.1.15", "syntax of sn")
    holds(len(schema.listall(ldap.schema.MatchingRule)) > 20, "matching rules")
    holds(len(schema.listall(ldap.schema.LDAPSyntax)) > 20, "syntaxes")


@step("bind: right, wrong, unknown, no password, none")
def _():
    connect(PERSON, PERSON_PASSWORD)
    wrong = refused(ldap.INVALID_CREDENTIALS, lambda: connect(PERSON, "wrong"))
    unknown = refused(ldap.INVALID_CREDENTIALS, lambda: connect("uid=nobody," + LAB, "wrong"))
    same(unknown.get("info"), wrong.get("info"), "what is said of an unknown person")
    refused(ldap.UNWILLING_TO_PERFORM, lambda: connect(PERSON, ""))
    connect("", "")


@step("filters: umlauts, escapes, substrings, ranges, presence, not, extensible")
def _():
    people = "ou=people," + SUFFIX
    for text in ["(cn=Jürgen Müller)", "(cn=jürgen  müller)", "(sn=M*ll*r)", "(sn:caseExactMatch:=Müller)", "(sn~=Müller)"]:
        same(found("(&(uid=jmueller)%s)" % text, people), [PERSON], text)
    odd = escape_filter_chars("Stars * and (brackets) and \\ backslash")
    same(found("(description=%s)" % odd, people), [PERSON], "the escaped filter")
    same(len(found("(uidNumber>=60021)", ROW)), 5, ">=")
    same(len(found("(&(uid=lab*)(!(uid=lab1*)))", ROW)), 15, "not")
    same(len(found("(|(uid=lab01)(uid=lab02)(noSuchType=x))", ROW)), 2, "or with an undefined type")
    same(len(found("(!(noSuchType=x))", ROW)), 0, "not undefined")
    same(len(found("(ou:dn:=row)", ROW)), 26, ":dn:")
    same(len(found("(&)", ROW)), 26, "(&)")
    same(len(found("(|)", ROW)), 0, "(|)")


@step("attributes: selected, none, all, operational, types only")
def _():
    same(sorted(read(PERSON, "SN", "mail")), ["mail", "sn"], "selected")
    same(read(PERSON, "1.1"), {}, "1.1")
    same(sorted(read(PERSON, "@person")), ["cn", "description", "objectClass", "sn"] + ["userPassword"] * SLAPD, "@person")
    holds("entryUUID" in read(PERSON, "+") and "cn" not in read(PERSON, "+"), "+")
    same(admin.search_s(PERSON, ldap.SCOPE_BASE, "(objectClass=*)", ["sn"], 1), [(PERSON, {"sn": []})], "types only")


@step("binary values")
def _():
    same(read(PERSON, "jpegPhoto"), {"jpegPhoto": [PICTURE]}, "the picture")
    dn = person("uid=large," + SPACE, jpegPhoto=PICTURE * 1200)
    same(read(dn, "jpegPhoto"), {"jpegPhoto": [PICTURE * 1200]}, "300 kB")


@step("add, modify, rename, move, delete")
def _():
    inner = "ou=inner," + SPACE
    admin.add_s(inner, [("objectClass", b"organizationalUnit"), ("ou", b"inner")])
    alice = person("uid=alice," + inner, mail=b"a@example.com")
    admin.modify_s(alice, [(ldap.MOD_ADD, "mail", [b"b@example.com", b"c@example.com"]), (ldap.MOD_DELETE, "mail", [b"a@example.com"])])
    before = read(alice, "cn", "mail")
    admin.modify_s(alice, ldap.modlist.modifyModlist(before, {"cn": [b"Alice"], "mail": [b"c@example.com", b"d@example.com"]}))
    same(read(alice, "cn", "mail"), {"cn": [b"Alice"], "mail": [b"c@example.com", b"d@example.com"]}, "alice")
    admin.rename_s(inner, "ou=outer", delold=0)
    same(found("(uid=alice)", SPACE), ["uid=alice,ou=outer," + SPACE], "what was below")
    admin.rename_s("uid=alice,ou=outer," + SPACE, "uid=Alicia", SPACE)
    same(found("(uid=alicia)", SPACE), ["uid=Alicia," + SPACE], "where it is")
    admin.delete_s("uid=alicia," + SPACE)
    same(found("(uid=alicia)", SPACE), [], "gone")
    two = "cn=Two+sn=Parts\\, each," + SPACE
    admin.add_s(two, [("objectClass", b"person"), ("cn", b"Two"), ("sn", b"Parts, each")])
    same(len(found("(cn=two)", "SN = parts\\2c each + CN = two , " + SPACE, ldap.SCOPE_BASE)), 1, "the parts of a name in any order")


@step("increment", needs="1.3.6.1.1.14")
def _():
    dn = person("uid=counter," + SPACE)
    account = [("objectClass", b"posixAccount"), ("uidNumber", b"7"), ("gidNumber", b"1"), ("homeDirectory", b"/")]
    admin.modify_s(dn, [(ldap.MOD_ADD, name, value) for name, value in account])
    admin.modify_s(dn, [(ldap.MOD_INCREMENT, "uidNumber", b"-10")])
    same(read(dn, "uidNumber"), {"uidNumber": [b"-3"]}, "after the increment")


@step("compare")
def _():
    same(admin.compare_s(PERSON, "sn", "MÜLLER".encode()), True, "compare by rule")
    same(admin.compare_s(PERSON, "sn", b"Miller"), False, "compare")
    refused(ldap.NO_SUCH_ATTRIBUTE, lambda: admin.compare_s(PERSON, "title", b"x"))
    refused(ldap.UNDEFINED_TYPE, lambda: admin.compare_s(PERSON, "favouriteColour", b"x"))


@step("errors: as the library names them, and matchedDN")
def _():
    nowhere = "cn=x,ou=nowhere," + LAB
    acts = {
        "search": lambda: admin.search_s(nowhere, ldap.SCOPE_BASE),
        "delete": lambda: admin.delete_s(nowhere),
        "modify": lambda: admin.modify_s(nowhere, [(ldap.MOD_ADD, "cn", b"x")]),
        "rename": lambda: admin.rename_s(nowhere, "cn=y"),
        "compare": lambda: admin.compare_s(nowhere, "cn", b"x"),
    }
    if SLAPD:
        # It tells none with a rename, and RFC 4511 §4.1.9 wants it there as everywhere.
        del acts["rename"]
    for name, act in acts.items():
        same(refused(ldap.NO_SUCH_OBJECT, act).get("matched"), LAB, "matchedDN of " + name)
    bob = person("uid=bob," + SPACE, employeeNumber=b"1")
    person("uid=ben," + SPACE)
    new = lambda *attributes: lambda: admin.add_s("uid=new," + SPACE, [("objectClass", b"inetOrgPerson"), ("uid", b"new"), *attributes])
    change = lambda kind, name, *values: lambda: admin.modify_s(bob, [(kind, name, list(values) or None)])
    refused(ldap.ALREADY_EXISTS, lambda: person(bob))
    refused(ldap.NO_SUCH_OBJECT, lambda: person("uid=x,ou=nowhere," + SPACE))
    refused(ldap.OBJECT_CLASS_VIOLATION, new(("cn", b"New")))
    refused(ldap.OBJECT_CLASS_VIOLATION, new(("cn", b"New"), ("sn", b"N"), ("uidNumber", b"7")))
    refused(ldap.UNDEFINED_TYPE, change(ldap.MOD_ADD, "favouriteColour", b"teal"))
    refused(ldap.INVALID_SYNTAX, change(ldap.MOD_ADD, "manager", b"no name"))
    refused(ldap.TYPE_OR_VALUE_EXISTS, change(ldap.MOD_ADD, "cn", b"SOMEBODY"))
    refused(ldap.NO_SUCH_ATTRIBUTE, change(ldap.MOD_DELETE, "cn", b"Robert"))
    refused(ldap.NO_SUCH_ATTRIBUTE, change(ldap.MOD_DELETE, "title"))
    refused(ldap.CONSTRAINT_VIOLATION, change(ldap.MOD_REPLACE, "employeeNumber", b"1", b"2"))
    refused(ldap.NAMING_VIOLATION if NOT_ON_RDN == 64 else ldap.NOT_ALLOWED_ON_RDN, change(ldap.MOD_DELETE, "uid", b"bob"))
    refused(ldap.NO_OBJECT_CLASS_MODS, change(ldap.MOD_REPLACE, "objectClass", b"organizationalUnit"))
    refused(ldap.NOT_ALLOWED_ON_NONLEAF, lambda: admin.delete_s(SPACE))
    refused(ldap.ALREADY_EXISTS, lambda: admin.rename_s(bob, "uid=ben"))
    refused(ldap.INSUFFICIENT_ACCESS, lambda: connect(PERSON, PERSON_PASSWORD).delete_s("cn=all-staff,ou=groups," + SUFFIX))
    refused(ldap.INVALID_DN_SYNTAX, lambda: admin.delete_s("not a name"))
    refused(ldap.UNAVAILABLE_CRITICAL_EXTENSION, lambda: asked(ROW, "(uid=*)", None, RequestControl("1.2.3.4", True, b"x")))
    refused(ldap.PROTOCOL_ERROR, lambda: admin.extop_s(ldap.extop.ExtendedRequest("1.2.3.4", b"")))
    number = admin.search_ext(ROW, ldap.SCOPE_SUBTREE, "(uid=lab*)", sizelimit=7)
    came = []

    def drain():
        while True:
            came.extend(admin.result(number, all=0)[1])

    refused(ldap.SIZELIMIT_EXCEEDED, drain)
    same(len(came), 7, "what came before the size limit")


@step("abandon and cancel", needs="1.3.6.1.1.8")
def _():
    held = connect()
    held.abandon(held.search(ROW, ldap.SCOPE_SUBTREE))
    try:
        held.cancel_s(held.search("ou=people," + SUFFIX, ldap.SCOPE_SUBTREE))
    except (ldap.TOO_LATE, ldap.NO_SUCH_OPERATION):
        pass
    same(held.whoami_s(), "dn:" + ADMIN, "who am I")


@step("paged results", needs="1.2.840.113556.1.4.319")
def _():
    sizes, seen = [], []
    control = SimplePagedResultsControl(True, size=10, cookie="")
    while True:
        entries, answers = asked(ROW, "(uid=lab*)", ["uid"], control)
        sizes.append(len(entries))
        seen += [dn for dn, _ in entries]
        control.cookie = answers[control.controlType].cookie
        if not control.cookie:
            break
    same((sizes, len(set(seen))), ([10, 10, 5], 25), "the pages")


@step("server-side sorting", needs=SORT)
def _():
    entries, answers = asked(ROW, "(uid=lab*)", ["sn"], SSSRequestControl(True, [BY_SN]))
    same([values["sn"][0].decode() for _, values in entries], ["Reihe %02d" % number for number in range(1, 26)], "sorted")
    same(answers["1.2.840.113556.1.4.474"].sortResult, 0, "the sort result")
    entries, _ = asked(ROW, "(uid=lab*)", ["uidNumber"], SSSRequestControl(True, ["-uidNumber"]))
    same(entries[0][1]["uidNumber"], [b"60025"], "the largest number first")


@step("paging and sorting at once", needs=SORT)
def _():
    page = SimplePagedResultsControl(True, size=10, cookie="")
    names = []
    while True:
        entries, answers = asked(ROW, "(uid=lab*)", ["sn"], SSSRequestControl(True, [BY_SN]), page)
        names += [values["sn"][0].decode() for _, values in entries]
        page.cookie = answers[page.controlType].cookie
        if not page.cookie:
            break
    same(names, ["Reihe %02d" % number for number in range(1, 26)], "sorted over pages")


@step("virtual list view", needs="2.16.840.1.113730.3.4.9")
def _():
    view = VLVRequestControl(True, before_count=1, after_count=2, offset=10, content_count=0)
    entries, answers = asked(ROW, "(uid=lab*)", ["sn"], SSSRequestControl(True, [BY_SN]), view)
    same([values["sn"][0] for _, values in entries], [b"Reihe 09", b"Reihe 10", b"Reihe 11", b"Reihe 12"], "the view")
    answer = answers["2.16.840.1.113730.3.4.10"]
    same((answer.targetPosition, answer.contentCount, answer.virtualListViewResult), (10, 25, 0), "its place")


@step("assertion", needs="1.3.6.1.1.12")
def _():
    dn = person("uid=asserted," + SPACE)
    say = lambda text: admin.modify_ext_s(dn, [(ldap.MOD_REPLACE, "title", b"x")], serverctrls=[AssertionControl(True, text)])
    refused(ldap.ASSERTION_FAILED, lambda: say("(cn=nobody)"))
    say("(cn=somebody)")


@step("pre-read and post-read", needs="1.3.6.1.1.13.1")
def _():
    dn = person("uid=readback," + SPACE, title=b"old")
    controls = [PreReadControl(True, ["title"]), PostReadControl(True, ["title", "entryUUID"])]
    number = admin.modify_ext(dn, [(ldap.MOD_REPLACE, "title", b"new")], serverctrls=controls)
    answers = {control.controlType: control for control in admin.result3(number)[3]}
    same(answers[controls[0].controlType].entry["title"], [b"old"], "pre-read")
    same(answers[controls[1].controlType].entry["title"], [b"new"], "post-read")
    holds("entryUUID" in answers[controls[1].controlType].entry, "operational attributes in the post-read")


@step("matched values", needs="1.2.826.0.1.3344810.2.3")
def _():
    dn = person("uid=many," + SPACE)
    admin.modify_s(dn, [(ldap.MOD_ADD, "mail", [b"a@one.example", b"b@two.example"])])
    entries, _ = asked(dn, "(objectClass=*)", ["mail", "cn"], MatchedValuesControl(True, "((mail=*@two.example))"))
    same(entries[0][1].get("mail"), [b"b@two.example"], "the value that matched")


@step("dereference", needs="1.3.6.1.4.1.4203.666.5.16")
def _():
    group = "cn=derefs," + SPACE
    admin.add_s(group, [("objectClass", b"groupOfNames"), ("cn", b"derefs"), ("member", PERSON.encode())])
    number = admin.search_ext(group, ldap.SCOPE_BASE, serverctrls=[DereferenceControl(True, {"member": ["uid", "mail"]})])
    _, entries, _, _, _, _ = admin.result4(number, add_ctrls=1)
    (control,) = entries[0][2]
    (member,) = control.derefRes["member"]
    same(member, (PERSON, {"uid": ["jmueller"], "mail": ["juergen.mueller@example.com"]}), "what it refers to")


@step("ManageDsaIT, session tracking", needs="2.16.840.1.113730.3.4.2")
def _():
    tracking = SessionTrackingControl("192.0.2.7", "lab", SESSION_TRACKING_FORMAT_OID_USERNAME, "somebody")
    entries, _ = asked(ROW, "(uid=lab0*)", ["1.1"], ManageDSAITControl(), tracking)
    same(len(entries), 9, "entries")


@step("proxied authorization", needs="2.16.840.1.113730.3.4.18")
def _():
    acting = lambda name: RequestControlTuples([ProxyAuthzControl(True, ("dn:" + name).encode())])
    same(admin.whoami_s(acting(PERSON)), "dn:" + PERSON, "who am I")
    refused(ldap.PROXIED_AUTHORIZATION_DENIED, lambda: connect(PERSON, PERSON_PASSWORD).whoami_s(acting(ADMIN)))


@step("persistent search", needs="2.16.840.1.113730.3.4.3")
def _():
    watching = connect()
    control = PersistentSearchControl(changeTypes=["add", "delete", "modify", "modDN"], changesOnly=True, returnECs=True)
    number = watching.search_ext(SPACE, ldap.SCOPE_SUBTREE, serverctrls=[control])
    # A request behind it on the same connection is answered when the watch stands.
    watching.whoami_s()
    person("uid=watched," + SPACE)
    known = {EntryChangeNotificationControl.controlType: EntryChangeNotificationControl}
    _, entries, _, _, _, _ = watching.result4(number, all=0, timeout=20, add_ctrls=1, resp_ctrl_classes=known)
    dn, _, controls = entries[0]
    same((dn, controls[0].changeType), ("uid=watched," + SPACE, 1), "what was seen")
    watching.abandon(number)


class Consumer(ldap.ldapobject.SimpleLDAPObject, ldap.syncrepl.SyncreplConsumer):
    """Keeps what content synchronisation brings, in memory."""

    def __init__(self, url):
        super().__init__(url)
        self.held, self.cookie, self.phase = {}, None, set()

    def syncrepl_get_cookie(self):
        return self.cookie

    def syncrepl_set_cookie(self, cookie):
        self.cookie = cookie

    def syncrepl_entry(self, dn, attrs, uuid):
        self.held[uuid] = dn

    def syncrepl_delete(self, uuids):
        for uuid in uuids:
            self.held.pop(uuid, None)

    def syncrepl_present(self, uuids, refreshDeletes=False):
        if uuids is not None:
            self.phase.update(uuids)
            return
        if not refreshDeletes:
            self.held = {uuid: dn for uuid, dn in self.held.items() if uuid in self.phase}
        self.phase = set()

    def refresh(self):
        number = self.syncrepl_search(SPACE, ldap.SCOPE_SUBTREE, cookie=self.cookie, attrlist=["*"], filterstr="(objectClass=*)")
        while self.syncrepl_poll(msgid=number, timeout=20, all=0):
            pass
        return sorted(self.held.values())


@step("content synchronisation: refreshed, and again with the cookie", needs="1.3.6.1.4.1.4203.1.9.1.1")
def _():
    consumer = Consumer(PLAIN)
    consumer.simple_bind_s(ADMIN, ADMIN_PASSWORD)
    same(consumer.refresh(), sorted(found("(objectClass=*)", SPACE)), "the first content")
    person("uid=synced," + SPACE)
    admin.delete_s("uid=large," + SPACE)
    admin.rename_s("uid=ben," + SPACE, "uid=benjamin")
    same(consumer.refresh(), sorted(found("(objectClass=*)", SPACE)), "the content after changes")


@step("who am I", needs="1.3.6.1.4.1.4203.1.11.3")
def _():
    same(connect(PERSON, PERSON_PASSWORD).whoami_s(), "dn:" + PERSON, "who am I")
    same(connect("", "").whoami_s(), "", "who am I, anonymous")


@step("password modify", needs="1.3.6.1.4.1.4203.1.11.1")
def _():
    dn = person("uid=carol," + SPACE, userPassword=b"First-secret-1")
    _, answer = admin.passwd_s(dn, None, None, extract_newpw=True)
    made = answer.genPasswd.decode()
    carol = connect(dn, made)
    refused(ldap.UNWILLING_TO_PERFORM, lambda: carol.passwd_s(dn, "wrong", "Second-secret-2"))
    carol.passwd_s(None, made, "Second-secret-2")
    connect(dn, "Second-secret-2")
    refused(ldap.INVALID_CREDENTIALS, lambda: connect(dn, made))


@step("StartTLS", needs="1.3.6.1.4.1.1466.20037")
def _():
    held = open_to()
    held.start_tls_s()
    held.simple_bind_s(PERSON, PERSON_PASSWORD)
    same(held.whoami_s(), "dn:" + PERSON, "who am I")
    refused(ldap.LDAPError, held.start_tls_s)


@step("ldaps with ca.pem, and not without")
def _():
    same(connect(PERSON, PERSON_PASSWORD, SECURE).whoami_s(), "dn:" + PERSON, "who am I")
    refused(ldap.SERVER_DOWN, lambda: open_to(SECURE, None).simple_bind_s())


def by_sasl(mechanism, name, password, url, authz=None):
    held = open_to(url)
    told = {ldap.sasl.CB_AUTHNAME: name, ldap.sasl.CB_PASS: password, ldap.sasl.CB_USER: authz or ""}
    held.sasl_interactive_bind_s("", ldap.sasl.sasl(told, mechanism))
    return held


for mechanism, url in [("PLAIN", SECURE), ("SCRAM-SHA-1", PLAIN), ("SCRAM-SHA-256", PLAIN)]:

    @step("SASL %s%s" % (mechanism, " over TLS" if url == SECURE else ""), needs=mechanism)
    def _():
        same(by_sasl(mechanism, "jmueller", PERSON_PASSWORD, url).whoami_s(), "dn:" + PERSON, "who am I")
        refused(ldap.INVALID_CREDENTIALS, lambda: by_sasl(mechanism, "jmueller", "wrong", url))
        refused(ldap.INVALID_CREDENTIALS, lambda: by_sasl(mechanism, "nobody", "wrong", url))


@step("SASL EXTERNAL by a client certificate")
def _():
    held = open_to(SECURE)
    held.set_option(ldap.OPT_X_TLS_CERTFILE, CLIENT_CERT)
    held.set_option(ldap.OPT_X_TLS_KEYFILE, CLIENT_KEY)
    held.set_option(ldap.OPT_X_TLS_NEWCTX, 0)
    held.sasl_external_bind_s()
    same(held.whoami_s(), "dn:" + PERSON, "who am I")


@step("SASL EXTERNAL over the Unix socket")
def _():
    held = open_to("ldapi://" + urllib.parse.quote(SOCKET, safe=""), None)
    same(held.read_rootdse_s(attrlist=["supportedSASLMechanisms"])["supportedSASLMechanisms"].count(b"EXTERNAL"), 1, "EXTERNAL is offered")
    held.sasl_external_bind_s()
    holds(held.whoami_s(), "who am I")


@step("tree delete", needs="1.2.840.113556.1.4.805")
def _():
    admin.delete_ext_s(SPACE, serverctrls=[RequestControl("1.2.840.113556.1.4.805", True, None)])
    refused(ldap.NO_SUCH_OBJECT, lambda: read(SPACE))


end()
