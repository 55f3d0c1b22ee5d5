"""Saves a document with a password, through LibreOffice: secret.py IN FILTER OUT"""
import sys, time
import uno
from com.sun.star.beans import NamedValue, PropertyValue

def prop(name, value):
    p = PropertyValue()
    p.Name, p.Value = name, value
    return p

local = uno.getComponentContext()
resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
for _ in range(120):
    try:
        ctx = resolver.resolve("uno:pipe,name=rlmcorpus;urp;StarOffice.ComponentContext")
        break
    except Exception:
        time.sleep(0.5)
desktop = ctx.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", ctx)
args = sys.argv[1:]
for source, filter_name, target in zip(args[0::3], args[1::3], args[2::3]):
    doc = desktop.loadComponentFromURL("file://" + source, "_blank", 0, (prop("Hidden", True),))
    if filter_name.endswith("XML"):  # Microsoft's formats take the password in another way
        keys = uno.Any("[]com.sun.star.beans.NamedValue", (NamedValue("OOXPassword", "lighthouse"), NamedValue("CryptoType", "Standard")))
        secret = prop("EncryptionData", keys)
    else:
        secret = prop("Password", "lighthouse")
    doc.storeToURL("file://" + target, (prop("FilterName", filter_name), secret))
    doc.close(True)
try:
    desktop.terminate()
except Exception:
    pass
