"""The journey of python3-ldap, OpenLDAP's own library from Python."""

import urllib.parse

import ldap
import ldap.extop
import ldap.modlist
import ldap.sasl
import ldap.schema
from ldap.controls import RequestControl
from ldap.filter import escape_filter_chars

from lab import CLIENT_CERT, CLIENT_KEY, LAB, NOT_OF_SLAPD, NOT_ON_RDN, PERSON, PERSON_PASSWORD, PICTURE, ROW, SLAPD, SOCKET, SUFFIX
from lab import end, holds, offered, same, step
from python_ldap_base import PLAIN, SECURE, SPACE, admin, asked, connect, found, open_to, person, read, refused


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


import python_ldap_controls  # noqa: E402, F401: its steps stand here


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
