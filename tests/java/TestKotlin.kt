// What Kotlin adds, used as an app would.
import org.tsmobile.IValue
import org.tsmobile.Module
import org.tsmobile.ModelException
import org.tsmobile.Tensor
import org.tsmobile.call
import org.tsmobile.component1
import org.tsmobile.component2
import org.tsmobile.get
import org.tsmobile.invoke
import org.tsmobile.iValueOf
import org.tsmobile.items
import org.tsmobile.toTensor
import org.tsmobile.view

private fun check(condition: Boolean, what: String) {
    if (!condition)
        throw AssertionError(what)
}

private fun values(module: Module) {
    val x = floatArrayOf(1f, 2f).toTensor()
    check(module(x).toTensor().dataAsFloatArray.contentEquals(floatArrayOf(1f, 2f)), "module(tensor)")
    check(module(IValue.from(x), IValue.from(3)).toTensor().dataAsFloatArray[1] == 6f, "module(values)")
    check(module.call("count", 10).toLong() == 9L, "call with an Int")
    val (sum, n) = module.call("pair", x, 2)
    check(sum.toTensor().dataAsFloatArray[0] == 3f && n.toLong() == 2L, "taken apart")
    val table = module.call("table", mapOf("a" to listOf(1, 2), "b" to listOf<Int>()))
    check(table["a"]!![1].toLong() == 2L && table["c"] == null && table["b"]!!.items.isEmpty(), "a dict")
    check(module.call("nested", 1 to ("s" to x))[1][0].toStr() == "s", "tuples")
    check(module.call("optional", null, null)[0].isNull, "null")
    check(module.call("boxes", x)[0]["name"]!!.toStr() == "b", "an attribute")
    check(module.view("forward", IValue.from(x)) { it.toTensor().dataAsFloatArray[1] } == 2f, "a view")
    val sizes = intArrayOf(1, 2, 3, 4).toTensor(2, 2)
    check(sizes.shape().contentEquals(longArrayOf(2, 2)) && longArrayOf(1).toTensor().numel() == 1L, "sizes")
    check(doubleArrayOf(1.0).toTensor().numel() + byteArrayOf(1).toTensor().numel() + booleanArrayOf(true).toTensor().numel() == 3L, "arrays")
    check(iValueOf(1.5f).toDouble() == 1.5 && iValueOf(true).toBool() && iValueOf(Triple(1, 2L, 3.toShort())).items.size == 3, "plain values")
}

private fun refusals(module: Module) {
    try {
        module.call("fail", 3)
        check(false, "no exception")
    } catch (e: ModelException) {
        check(e.raised.endsWith("the number is too large"), "the exception's last line")
    }
    try {
        iValueOf(Any())
        check(false, "no exception")
    } catch (e: IllegalArgumentException) {
        check(e.message!!.contains("java.lang.Object has no counterpart"), "a value without a counterpart")
    }
    try {
        floatArrayOf(1f).toTensor(2)
        check(false, "no exception")
    } catch (e: IllegalArgumentException) {
        check(e.message!!.contains("does not hold"), "wrong sizes")
    }
}

fun main(arguments: Array<String>) {
    val module = Module.load(arguments[0])
    module.use {
        values(it)
        refusals(it)
    }
    try {
        module(Tensor.fromBlob(floatArrayOf(1f), longArrayOf(1)))
        check(false, "no exception")
    } catch (e: IllegalStateException) {
        check(e.message == "the program is closed", "closed")
    }
    println("ok: Kotlin")
}
